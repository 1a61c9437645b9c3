/* One deployment under several releases: what differs, and why. */
#include "cli/compare.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/json_price.h"
#include "report/printout.h"
#include "text/number.h"
#include "text/words.h"

enum { RELEASES_MAX = 8 };

struct releases {
	char *names[RELEASES_MAX];
	size_t count;
	struct session sessions[RELEASES_MAX];
	struct findings findings[RELEASES_MAX];
};

/** One figure under each release; `has` tells of those without. */
struct line {
	const char *name;
	char cells[RELEASES_MAX][64];
	double values[RELEASES_MAX];
	bool has[RELEASES_MAX];
	const char *why;
};

static enum ss_status split(struct releases *r, const char *text, struct ss_error *err)
{
	const char *at = text;

	while (*at) {
		size_t length = strcspn(at, ",");

		if (!length || r->count == RELEASES_MAX)
			return ss_fail(err, SS_EUSAGE, "engine-version",
				       "%s: must be up to %d releases apart by commas", text,
				       RELEASES_MAX);
		r->names[r->count] = xmalloc(length + 1);
		memcpy(r->names[r->count], at, length);
		r->names[r->count++][length] = '\0';
		at += length + (at[length] == ',');
	}
	return SS_OK;
}

static int open_release(struct batch *batch, struct releases *r, size_t i)
{
	struct arguments *a = batch->arguments;
	int status;

	a->request.adhoc.engine_version = r->names[i];
	if (!a->request.adhoc.model)
		arguments_add_setting(a, "engine_version", r->names[i]);
	a->request.settings = a->settings;
	a->request.setting_count = a->setting_count;
	status = batch_open(batch, &r->sessions[i], batch_scenario(batch));
	if (!status)
		status = batch_findings(batch, &r->findings[i], &r->sessions[i]);
	return status;
}

static void put_line(struct doc *doc, cJSON *list, const struct line *line, size_t count)
{
	cJSON *o = json_object(), *values = json_array();
	bool differs = false;

	for (size_t i = 1; i < count; i++)
		differs |= strcmp(line->cells[i], line->cells[0]) != 0;
	json_put_text(o, "name", line->name);
	for (size_t i = 0; i < count; i++)
		cJSON_AddItemToArray(values, line->has[i] ? cJSON_CreateNumber(line->values[i])
							  : cJSON_CreateNull());
	json_put(o, "values", values);
	json_put_bool(o, "differs", differs);
	json_put_text(o, "why", line->why);
	json_put(list, NULL, o);
	if (!differs)
		return;
	doc_cell(doc, MARK_DIFFERS, line->name);
	for (size_t i = 0; i < count; i++)
		doc_number(doc, MARK_NONE, line->cells[i], line->values[i]);
	doc_cell(doc, MARK_DIM, line->why);
}

static void set_cell(struct line *line, size_t i, const char *text, double value)
{
	(void)snprintf(line->cells[i], sizeof(line->cells[i]), "%s", text);
	line->values[i] = value;
	line->has[i] = true;
}

static void put_terms(struct doc *doc, cJSON *list, const struct releases *r)
{
	for (int term = 0; term < SS_RELEASE_TERM_COUNT; term++) {
		struct line line = { .name = ss_release_term_name((enum ss_release_term_id)term),
				     .why = ss_release_term_text((enum ss_release_term_id)term) };
		bool is_read = false;

		for (size_t i = 0; i < r->count; i++) {
			struct ss_release_use uses[SS_RELEASE_TERM_COUNT];
			size_t n = ss_kernel_release_terms(r->findings[i].kernel, uses);
			char text[64];

			for (size_t u = 0; u < n; u++) {
				if ((int)uses[u].term != term)
					continue;
				is_read |= uses[u].is_read;
				(void)snprintf(text, sizeof(text), "%s%s",
					       number_plain(uses[u].value).text,
					       uses[u].row ? "" : " ~");
				set_cell(&line, i, text, uses[u].value);
			}
		}
		if (is_read)
			put_line(doc, list, &line, r->count);
	}
}

static void put_corrections(struct doc *doc, cJSON *list, const struct releases *r)
{
	for (int id = 0; id < SS_DIVERGENCE_COUNT; id++) {
		struct line line = { .name = ss_divergence((enum ss_divergence_id)id)->name,
				     .why = ss_divergence_direction((enum ss_divergence_id)id) };
		bool has_any = false;

		for (size_t i = 0; i < r->count; i++) {
			const struct ss_memory *m = ss_kernel_memory(r->findings[i].kernel);
			double bytes = 0;

			for (size_t j = 0; j < m->correction_count; j++)
				if ((int)m->corrections[j].id == id)
					bytes = (double)m->corrections[j].bytes;
			has_any |= bytes < 0 || bytes > 0;
			set_cell(&line, i, number_bytes_signed(bytes).text, bytes);
		}
		if (has_any)
			put_line(doc, list, &line, r->count);
	}
}

static void put_figures(struct doc *doc, cJSON *list, const struct releases *r)
{
	struct line room = { .name = "budget_bytes", .why = "room for KV" };
	struct line tokens = { .name = "reported_tokens", .why = "KV cache size it would log" };
	struct line most = { .name = "max_concurrency", .why = "requests of max_model_len" };
	struct line lead = { .name = "lead_s", .why = "the step" };

	for (size_t i = 0; i < r->count; i++) {
		const struct findings *f = &r->findings[i];
		const struct ss_memory *m = ss_kernel_memory(f->kernel);
		const struct ss_kv_pool *pool = ss_kernel_kv_pool(f->kernel);
		char text[32];

		set_cell(&room, i, number_bytes_binary((double)m->budget_bytes).text,
			 (double)m->budget_bytes);
		set_cell(&tokens, i, number_count((double)pool->reported_tokens).text,
			 (double)pool->reported_tokens);
		(void)snprintf(text, sizeof(text), "%.2fx", pool->max_concurrency);
		set_cell(&most, i, text, pool->max_concurrency);
		if (f->has_price)
			set_cell(&lead, i, number_time(f->figures.lead_s).text, f->figures.lead_s);
	}
	put_line(doc, list, &room, r->count);
	put_line(doc, list, &tokens, r->count);
	put_line(doc, list, &most, r->count);
	put_line(doc, list, &lead, r->count);
}

static int print(struct batch *batch, const struct releases *r)
{
	struct column columns[RELEASES_MAX + 2] = { { "what differs", "name", false } };
	struct doc *doc = doc_new();
	cJSON *root = json_object(), *names = json_array(), *list = json_array();

	for (size_t i = 0; i < r->count; i++) {
		columns[i + 1] = (struct column){ r->names[i], r->names[i], true };
		json_put(names, NULL, json_engine(&r->findings[i]));
	}
	columns[r->count + 1] = (struct column){ "why", "why", false };
	doc_section(doc, "releases");
	doc_heading(doc, "Releases of %s", session_text(r->sessions[0].scenario, 0, SS_F_NAME));
	doc_table(doc, columns, r->count + 2, true);
	put_terms(doc, list, r);
	put_corrections(doc, list, r);
	put_figures(doc, list, r);
	doc_line(doc, MARK_DIM, "~: no figure is known of that release; as " SS_PRICED_RELEASE);
	json_put_count(root, "format", 1);
	json_put(root, "engines", names);
	json_put(root, "releases", list);
	if (batch_is_json(batch)) {
		doc_free(doc);
		return batch_print_json(batch, root);
	}
	cJSON_Delete(root);
	return batch_print(batch, doc);
}

int run_compare_releases(struct batch *batch, const char *names)
{
	struct releases *r = xcalloc(1, sizeof(*r));
	struct ss_error err = { 0 };
	enum ss_status rc = split(r, names, &err);
	size_t opened = 0;
	int status = rc ? batch_fail(batch, rc, NULL, &err) : 0;

	while (!status && opened < r->count)
		status = open_release(batch, r, opened++);
	if (!status)
		status = print(batch, r);
	for (size_t i = 0; i < opened; i++) {
		findings_release(&r->findings[i]);
		session_release(&r->sessions[i]);
	}
	for (size_t i = 0; i < r->count; i++)
		free(r->names[i]);
	free(r);
	return status;
}
