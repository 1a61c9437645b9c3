/* Two cases side by side: what was set, what it costs, what it rests on. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "case/difference.h"
#include "case/findings.h"
#include "case/verdict_text.h"
#include "text/number.h"
#include "text/words.h"
#include "report/json_price.h"
#include "cli/compare.h"
#include "cli/only.h"
#include "cli/run.h"
#include "report/sections.h"

/* clang-format off */
static const struct column text_columns_of[] = {
	{ "setting", "path", false }, { "A", "a", false }, { "B", "b", false },
};
static const struct column divergence_columns[] = {
	{ "divergence", "name", false }, { "A, ms", "a_s", true }, { "B, ms", "b_s", true },
	{ "B - A, ms", "delta_s", true },
};
static const struct column memory_columns[] = {
	{ "of one rank", "name", false }, { "A", "a", true }, { "B", "b", true },
	{ "B - A", "delta", true },
};
static const struct column entry_columns[] = {
	{ "entry", "name", false }, { "change", "change", false },
	{ "A", "a", false }, { "B", "b", false },
};
static const struct column override_columns[] = {
	{ "override", "field", false }, { "change", "change", false },
	{ "A", "a", false }, { "B", "b", false },
};
/* clang-format on */

/* -- settings ------------------------------------------------------------------------- */

static char *value_text(const struct findings *f, enum ss_field_id id)
{
	const struct ss_field *field = ss_field(id);
	const struct ss_value *value =
		ss_scenario_value(f->session->scenario, f->session->pool, id);
	size_t len = ss_value_format(NULL, 0, field, value);
	char *text = xmalloc(len + 1);

	(void)ss_value_format(text, len + 1, field, value);
	return text;
}

static char *batch_text(const struct findings *f)
{
	const struct session *s = f->session;
	size_t len = ss_batch_format(NULL, 0, s->groups, s->group_count);
	char *text = xmalloc(len + 1);

	(void)ss_batch_format(text, len + 1, s->groups, s->group_count);
	return text;
}

/** One row that differs, into both forms; texts are freed. */
static void put_setting(struct pair *p, struct doc *doc, cJSON *list, const char *path, char *a,
			char *b)
{
	if (strcmp(a, b) != 0) {
		cJSON *o = json_object();

		p->differs = true;
		json_put_text(o, "path", path);
		json_put_text_or_null(o, "a", a);
		json_put_text_or_null(o, "b", b);
		json_put(list, NULL, o);
		doc_cell(doc, MARK_DIFFERS, path);
		doc_figure(doc, MARK_NONE, *a ? a : "unstated", a);
		doc_figure(doc, MARK_NONE, *b ? b : "unstated", b);
	}
	free(a);
	free(b);
}

static cJSON *compare_settings(struct pair *p, struct doc *doc)
{
	cJSON *list = json_array();

	doc_heading(doc, "Settings");
	doc_table(doc, text_columns_of, 3, true);
	for (int i = 0; i < SS_FIELD_COUNT; i++) {
		enum ss_field_id id = (enum ss_field_id)i;

		put_setting(p, doc, list, ss_field(id)->path, value_text(p->a, id),
			    value_text(p->b, id));
	}
	put_setting(p, doc, list, "batch", batch_text(p->a), batch_text(p->b));
	return list;
}

/* -- divergences ---------------------------------------------------------------------- */

/** How much of the difference the engine would not make. */
static void find_difference(const struct pair *p, struct difference *d)
{
	struct ss_batch batches[] = { session_batch(p->a->session), session_batch(p->b->session) };
	struct difference_side a = { p->a->kernel, &batches[0], p->a->session->figure };
	struct difference_side b = { p->b->kernel, &batches[1], p->b->session->figure };

	*d = (struct difference){ 0 };
	if (compare_has_prices(p))
		difference_of(d, &a, &b);
}

static void put_note(struct doc *doc, const struct difference *d)
{
	char note[320];

	difference_note(note, sizeof(note), d);
	if (*note)
		doc_line(doc, MARK_DIVERGES, "%s", note);
}

/** The verdict of a side that the engine would not run as it is. */
static void put_marks(const struct pair *p, struct doc *doc)
{
	const struct findings *sides[] = { p->a, p->b };

	for (int i = 0; i < 2; i++) {
		const struct ss_fit *fit = &sides[i]->fit;
		enum ss_verdict_id id = verdict_first(&fit->verdict);
		char mark[160];

		if (id == SS_VERDICT_COUNT)
			continue;
		verdict_mark(mark, sizeof(mark), &fit->verdict, id, fit->term);
		doc_line(doc, MARK_REFUSED, "%c: %s", "AB"[i], mark);
	}
}

static cJSON *compare_divergences(struct doc *doc, const struct difference *d)
{
	cJSON *list = json_array();

	if (d->part_count) {
		doc_heading(doc, "Known divergences in the difference");
		doc_table(doc, divergence_columns, 4, true);
	}
	for (size_t i = 0; i < d->part_count; i++) {
		const struct difference_part *part = &d->parts[i];
		const char *name = ss_divergence(part->id)->name;
		cJSON *o = json_object();

		json_put_text(o, "name", name);
		json_put_number(o, "a_s", part->seconds[0]);
		json_put_number(o, "b_s", part->seconds[1]);
		json_put_number(o, "delta_s", part->seconds[1] - part->seconds[0]);
		json_put_text(o, "reason", ss_divergence_reason(part->id));
		json_put(list, NULL, o);
		doc_cell(doc, MARK_DIVERGES, name);
		compare_delta(doc, part->seconds[0], part->seconds[1]);
	}
	return list;
}

static cJSON *compare_difference(struct pair *p, struct doc *doc)
{
	struct difference d;
	cJSON *o = json_object();

	find_difference(p, &d);
	json_put_number(o, "seconds", compare_has_prices(p) ? d.seconds : NAN);
	json_put_number(o, "known_error_s", compare_has_prices(p) ? d.known_error_s : NAN);
	json_put(o, "divergences", compare_divergences(doc, &d));
	return o;
}

/* -- memory --------------------------------------------------------------------------- */

static cJSON *compare_memory(struct pair *p, struct doc *doc)
{
	const struct ss_memory *a = ss_kernel_memory(p->a->kernel);
	const struct ss_memory *b = ss_kernel_memory(p->b->kernel);
	const struct {
		const char *name;
		double a, b;
	} rows[] = {
		{ "weights_bytes", a->weights_bytes, b->weights_bytes },
		{ "scales_bytes", a->scales_bytes, b->scales_bytes },
		{ "tables_bytes", a->tables_bytes, b->tables_bytes },
		{ "redundant_bytes", a->redundant_bytes, b->redundant_bytes },
		{ "draft_bytes", a->draft_bytes, b->draft_bytes },
		{ "activation_bytes", a->activation_bytes, b->activation_bytes },
		{ "communicator_bytes", a->communicator_bytes, b->communicator_bytes },
		{ "workspace_bytes", a->workspace_bytes, b->workspace_bytes },
		{ "graphs_bytes", a->graphs_bytes, b->graphs_bytes },
		{ "total_bytes", a->total_bytes, b->total_bytes },
		{ "visible_bytes", a->visible_bytes, b->visible_bytes },
		{ "budget_bytes", a->budget_bytes, b->budget_bytes },
		{ "kv_bytes_per_token", a->kv_bytes_per_token, b->kv_bytes_per_token },
		{ "sequence_fixed_bytes", a->sequence_fixed_bytes, b->sequence_fixed_bytes },
	};
	cJSON *list = json_array();

	doc_heading(doc, "Memory");
	doc_table(doc, memory_columns, 4, true);
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		cJSON *o = json_object();

		json_put_text(o, "name", rows[i].name);
		json_put_number(o, "a", rows[i].a);
		json_put_number(o, "b", rows[i].b);
		json_put_number(o, "delta", rows[i].b - rows[i].a);
		json_put(list, NULL, o);
		if (!compare_is_apart(rows[i].a, rows[i].b))
			continue;
		p->differs = true;
		doc_cell(doc, MARK_NONE, rows[i].name);
		doc_number(doc, MARK_NONE, number_bytes_binary(rows[i].a).text, rows[i].a);
		doc_number(doc, MARK_NONE, number_bytes_binary(rows[i].b).text, rows[i].b);
		doc_number(doc, MARK_NONE, number_bytes_signed(rows[i].b - rows[i].a).text,
			   rows[i].b - rows[i].a);
	}
	return list;
}

/* -- entries and overrides ------------------------------------------------------------ */

/** One line that came, went or changed; NULL where a side has none. */
static void put_change(struct pair *p, struct doc *doc, cJSON *list, const char *key,
		       const char *name, const char *a, const char *b)
{
	const char *change = !a ? "came" : !b ? "went" : "changed";
	cJSON *o;

	if (a && b && !strcmp(a, b))
		return;
	p->differs = true;
	o = json_object();
	json_put_text(o, key, name);
	json_put_text(o, "change", change);
	json_put_text_or_null(o, "a", a);
	json_put_text_or_null(o, "b", b);
	json_put(list, NULL, o);
	doc_cell(doc, MARK_DIFFERS, name);
	doc_cell(doc, MARK_NONE, change);
	doc_cell(doc, MARK_NONE, a ? a : "");
	doc_cell(doc, MARK_NONE, b ? b : "");
}

/** The entry of a name that counts; NULL when there is none. */
static const struct ss_entry *find_entry(const struct findings *f, const char *name)
{
	size_t count = ss_kernel_entry_count(f->kernel);

	for (size_t i = 0; i < count; i++) {
		const struct ss_entry *entry = ss_kernel_entry(f->kernel, i);

		if (!entry->is_shadowed && !strcmp(entry->name, name))
			return entry;
	}
	return NULL;
}

/** `3.2, cost-model-host-overheads, assumed`; NULL for no entry. */
static const char *entry_text(const struct ss_entry *entry, char *out, size_t size)
{
	char value[160];

	if (!entry)
		return NULL;
	(void)snprintf(out, size, "%s, %s, %s", entry_value_text(entry, value, sizeof(value)),
		       entry->set, ss_method_name(entry->method));
	return out;
}

/** Between figures all entries do; else those that the figure may read. */
static bool counts(const struct pair *p, const struct findings *f, size_t index)
{
	return compare_is_crossed(p) ||
	       ss_kernel_entry_counts(f->kernel, f->session->figure, index);
}

static cJSON *compare_entries(struct pair *p, struct doc *doc)
{
	cJSON *list = json_array();
	char a[320], b[320];

	doc_heading(doc, "Entries");
	doc_table(doc, entry_columns, 4, true);
	for (size_t i = 0; i < ss_kernel_entry_count(p->a->kernel); i++) {
		const struct ss_entry *entry = ss_kernel_entry(p->a->kernel, i);

		if (!entry->is_shadowed && counts(p, p->a, i))
			put_change(p, doc, list, "name", entry->name,
				   entry_text(entry, a, sizeof(a)),
				   entry_text(find_entry(p->b, entry->name), b, sizeof(b)));
	}
	for (size_t i = 0; i < ss_kernel_entry_count(p->b->kernel); i++) {
		const struct ss_entry *entry = ss_kernel_entry(p->b->kernel, i);

		if (!entry->is_shadowed && counts(p, p->b, i) && !find_entry(p->a, entry->name))
			put_change(p, doc, list, "name", entry->name, NULL,
				   entry_text(entry, b, sizeof(b)));
	}
	return list;
}

static const struct ss_override *find_override(const struct findings *f, const char *field)
{
	for (size_t i = 0; i < ss_kernel_override_count(f->kernel); i++)
		if (!strcmp(ss_kernel_override(f->kernel, i)->field, field))
			return ss_kernel_override(f->kernel, i);
	return NULL;
}

static const char *override_text(const struct ss_override *o, char *out, size_t size)
{
	if (!o)
		return NULL;
	(void)snprintf(out, size, "%s runs as %s", o->requested, o->resolved);
	return out;
}

static cJSON *compare_overrides(struct pair *p, struct doc *doc)
{
	const struct ss_kernel *ka = p->a->kernel, *kb = p->b->kernel;
	cJSON *list = json_array();
	char a[320], b[320];

	doc_heading(doc, "Overrides");
	doc_table(doc, override_columns, 4, true);
	for (size_t i = 0; i < ss_kernel_override_count(ka); i++) {
		const struct ss_override *was = ss_kernel_override(ka, i);

		put_change(p, doc, list, "field", was->field, override_text(was, a, sizeof(a)),
			   override_text(find_override(p->b, was->field), b, sizeof(b)));
	}
	for (size_t i = 0; i < ss_kernel_override_count(kb); i++) {
		const struct ss_override *now = ss_kernel_override(kb, i);

		if (!find_override(p->a, now->field))
			put_change(p, doc, list, "field", now->field, NULL,
				   override_text(now, b, sizeof(b)));
	}
	return list;
}

/* -- the command ---------------------------------------------------------------------- */

/* clang-format off */
#define SECTIONS(X) \
	X(settings) X(terms) X(difference) X(memory) X(entries) X(overrides)
/* clang-format on */

/** What one section of `doc` holds, as JSON; also run where it is not shown, for what differs. */
struct section {
	const char *name;
	cJSON *(*make)(struct pair *p, struct doc *doc);
};

static const struct section sections[] = {
#define X(name) { #name, compare_##name },
	SECTIONS(X)
#undef X
};

static const char section_names[] =
#define X(name) #name ","
	SECTIONS(X)
#undef X
	;

/** `Serial: 25.22 ms against 24.43 ms of Kernels, -792.8 us (-3.1 %)`. */
static void put_lead(const struct pair *p, struct doc *doc)
{
	double a = p->a->figures.lead_s, b = p->b->figures.lead_s;
	const char *a_title = figure_title(p->a->session->figure);
	const char *b_title = figure_title(p->b->session->figure);
	bool is_one = p->a->session->figure == p->b->session->figure;

	if (compare_has_prices(p))
		doc_line(doc, MARK_STRONG, "%s: %s against %s%s%s, %s (%s)", a_title,
			 number_time(a).text, number_time(b).text, is_one ? "" : " of ",
			 is_one ? "" : b_title, number_time_signed(b - a).text,
			 a > 0 ? number_percent((b - a) / a, 1).text : "-");
}

static cJSON *json_leads(const struct pair *p)
{
	cJSON *o = json_object();

	json_put_text(o, "a", ss_figure_name(p->a->session->figure));
	json_put_text(o, "b", ss_figure_name(p->b->session->figure));
	return o;
}

static int print_pair(struct batch *batch, struct pair *p)
{
	struct doc *doc = doc_new(), *unseen = doc_new();
	cJSON *root = json_object(), *releases = json_object();
	struct difference difference;

	doc_heading(doc, "A %s against B %s", session_text(p->a->session->scenario, 0, SS_F_NAME),
		    session_text(p->b->session->scenario, 0, SS_F_NAME));
	put_lead(p, doc);
	find_difference(p, &difference);
	put_note(doc, &difference);
	put_marks(p, doc);
	json_put_count(root, "format", 1);
	json_put(root, "leads", json_leads(p));
	json_put(releases, "a", json_engine(p->a));
	json_put(releases, "b", json_engine(p->b));
	json_put(root, "releases", releases);
	for (size_t i = 0; i < sizeof(sections) / sizeof(sections[0]); i++) {
		struct doc *kept = only_wants(batch, sections[i].name) ? doc : unseen;
		cJSON *made;

		doc_section(doc, sections[i].name);
		made = sections[i].make(p, kept);
		if (kept == doc)
			json_put(root, sections[i].name, made);
		else
			cJSON_Delete(made);
	}
	doc_free(unseen);
	if (batch_is_json(batch)) {
		doc_free(doc);
		return batch_print_json(batch, root);
	}
	cJSON_Delete(root);
	return batch_print(batch, doc);
}

/** A as it stands when B is left out: what is changed on the line is then B's. */
static int open_first(struct batch *batch, struct session *session)
{
	struct session_request whole = batch->arguments->request;
	int status;

	bool is_made = whole.adhoc.model != NULL;

	/* between two figures of one case what is changed is changed on both sides */
	if (batch->arguments->has_other_figure) {
		if (is_made && batch->arguments->name_count)
			batch->arguments->request.adhoc = (struct adhoc){ 0 };
	} else if (batch->arguments->name_count + is_made < 2) {
		struct session_request plain = session_request();

		plain.registry = whole.registry;
		plain.pool = whole.pool;
		plain.figure = whole.figure;
		plain.adhoc = whole.adhoc;
		/* which laws are taken is no setting: both sides are priced by the same ones */
		plain.corrections_dropped = whole.corrections_dropped;
		plain.corrections_added = whole.corrections_added;
		batch->arguments->request = plain;
	} else if (is_made) {
		batch->arguments->request.adhoc = (struct adhoc){ 0 };
	}
	status = batch_open(batch, session, batch_scenario(batch));
	batch->arguments->request = whole;
	return status;
}

int run_compare(struct batch *batch)
{
	struct arguments *arguments = batch->arguments;
	struct session sessions[2];
	struct findings findings[2];
	struct pair p = { &findings[0], &findings[1], false };
	const char *releases = arguments->request.adhoc.engine_version;
	int status;

	if (releases && strchr(releases, ','))
		return run_compare_releases(batch, releases);
	status = only_check(batch, section_names);
	if (status)
		return status;
	for (int i = 0; i < 2; i++) {
		sessions[i] = (struct session){ 0 };
		findings[i] = (struct findings){ 0 };
	}
	status = open_first(batch, &sessions[0]);
	if (arguments->has_other_figure)
		arguments->request.figure = arguments->other_figure;
	if (!status)
		status = batch_open(
			batch, &sessions[1],
			arguments->name_count ? arguments->names[arguments->name_count - 1] : NULL);
	for (int i = 0; i < 2 && !status; i++)
		status = batch_findings(batch, &findings[i], &sessions[i]);
	if (!status)
		status = print_pair(batch, &p);
	for (int i = 0; i < 2 && status == EXIT_PRICED; i++) {
		if (findings[i].has_price)
			continue;
		batch_say_problems(&sessions[i].problems, SS_REFUSAL);
		status = EXIT_REFUSED;
	}
	if (!status && p.differs && arguments_has(arguments, OPT_EXIT_CODE))
		status = EXIT_REFUSED;
	for (int i = 0; i < 2; i++) {
		findings_release(&findings[i]);
		session_release(&sessions[i]);
	}
	return status;
}
