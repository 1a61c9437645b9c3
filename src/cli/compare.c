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
#include "cli/only.h"
#include "cli/run.h"
#include "report/sections.h"

struct pair {
	const struct findings *a, *b;
	bool differs;
};

/* clang-format off */
static const struct column text_columns_of[] = {
	{ "setting", "path", false }, { "A", "a", false }, { "B", "b", false },
};
static const struct column time_columns[] = {
	{ "layers", "kind", false }, { "term", "name", false }, { "resource", "resource", false },
	{ "A, ms", "a_s", true }, { "B, ms", "b_s", true }, { "B - A, ms", "delta_s", true },
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

/* -- terms ---------------------------------------------------------------------------- */

/** Terms are the same row when name, resource and layer kind are. */
struct term_row {
	char kind[160];
	enum ss_term_id term;
	enum ss_resource resource;
	double seconds[2];
};

struct term_rows {
	struct term_row *items;
	size_t count;
};

static void add_terms(struct term_rows *rows, const struct findings *f, int side)
{
	const struct ss_model *model = ss_basis_inputs(ss_kernel_basis(f->kernel))->model;

	for (size_t i = 0; i < f->breakdown.term_count; i++) {
		const struct ss_term *term = &f->breakdown.terms[i];
		struct term_row row = { .term = term->term, .resource = term->resource };
		size_t k = 0;

		(void)snprintf(row.kind, sizeof(row.kind), "%s%s", term->is_draft ? "draft " : "",
			       term->kind == -1   ? "head"
			       : term->kind == -2 ? "host"
						  : model->kinds[term->kind].id);
		while (k < rows->count && (rows->items[k].term != row.term ||
					   rows->items[k].resource != row.resource ||
					   strcmp(rows->items[k].kind, row.kind) != 0))
			k++;
		if (k == rows->count) {
			rows->items = xrealloc(rows->items, k + 1, sizeof(*rows->items));
			rows->items[rows->count++] = row;
		}
		rows->items[k].seconds[side] += ss_term_figure(term, f->session->figure);
	}
}

static void put_delta(struct doc *doc, double a, double b)
{
	doc_number(doc, MARK_NONE, number_time_in(a, NUMBER_MS, 3).text, a);
	doc_number(doc, MARK_NONE, number_time_in(b, NUMBER_MS, 3).text, b);
	doc_number(doc, MARK_NONE, number_signed((b - a) * 1e3, 3).text, b - a);
}

static bool is_apart(double a, double b)
{
	return a < b || a > b;
}

static bool has_prices(const struct pair *p)
{
	return p->a->has_price && p->b->has_price;
}

static cJSON *compare_terms(struct pair *p, struct doc *doc)
{
	struct term_rows rows = { 0 };
	cJSON *list = json_array();
	char label[96];

	if (!has_prices(p)) {
		doc_heading(doc, "The step by term");
		doc_line(doc, MARK_REFUSED, "not compared: %s not priced",
			 p->a->has_price   ? "B is"
			 : p->b->has_price ? "A is"
					   : "both are");
		return list;
	}
	add_terms(&rows, p->a, 0);
	add_terms(&rows, p->b, 1);
	doc_heading(doc, "The %s figure by term", figure_title(p->b->session->figure));
	doc_table(doc, time_columns, 6, true);
	for (size_t i = 0; i < rows.count; i++) {
		const struct term_row *row = &rows.items[i];
		double a = row->seconds[0], b = row->seconds[1];
		cJSON *o = json_object();

		json_put_text(o, "kind", row->kind);
		json_put_text(o, "name", ss_term_name(row->term));
		json_put_text(o, "resource", ss_resource_name(row->resource));
		json_put_number(o, "a_s", a);
		json_put_number(o, "b_s", b);
		json_put_number(o, "delta_s", b - a);
		json_put(list, NULL, o);
		p->differs |= is_apart(a, b);
		if (!is_apart(a, b))
			continue;
		doc_cell(doc, MARK_NONE, row->kind);
		term_label_of_both(label, sizeof(label), row->term, p->a->figures.step.graph,
				   p->b->figures.step.graph);
		doc_figure(doc, MARK_NONE, label, ss_term_name(row->term));
		doc_cell(doc, MARK_NONE, ss_resource_name(row->resource));
		put_delta(doc, a, b);
	}
	free(rows.items);
	doc_cell(doc, MARK_STRONG, "all");
	doc_figure(doc, MARK_STRONG, "", "lead");
	doc_cell(doc, MARK_NONE, "");
	put_delta(doc, p->a->figures.lead_s, p->b->figures.lead_s);
	return list;
}

/* -- divergences ---------------------------------------------------------------------- */

/** How much of the difference the engine would not make. */
static void find_difference(const struct pair *p, struct difference *d)
{
	struct ss_batch batches[] = { session_batch(p->a->session), session_batch(p->b->session) };
	struct difference_side a = { p->a->kernel, &batches[0] };
	struct difference_side b = { p->b->kernel, &batches[1] };

	*d = (struct difference){ 0 };
	if (has_prices(p))
		difference_of(d, &a, &b, p->b->session->figure);
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
		put_delta(doc, part->seconds[0], part->seconds[1]);
	}
	return list;
}

static cJSON *compare_difference(struct pair *p, struct doc *doc)
{
	struct difference d;
	cJSON *o = json_object();

	find_difference(p, &d);
	json_put_number(o, "seconds", has_prices(p) ? d.seconds : NAN);
	json_put_number(o, "known_error_s", has_prices(p) ? d.known_error_s : NAN);
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
		if (!is_apart(rows[i].a, rows[i].b))
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

static cJSON *compare_entries(struct pair *p, struct doc *doc)
{
	cJSON *list = json_array();
	char a[320], b[320];

	doc_heading(doc, "Entries");
	doc_table(doc, entry_columns, 4, true);
	for (size_t i = 0; i < ss_kernel_entry_count(p->a->kernel); i++) {
		const struct ss_entry *entry = ss_kernel_entry(p->a->kernel, i);

		if (!entry->is_shadowed)
			put_change(p, doc, list, "name", entry->name,
				   entry_text(entry, a, sizeof(a)),
				   entry_text(find_entry(p->b, entry->name), b, sizeof(b)));
	}
	for (size_t i = 0; i < ss_kernel_entry_count(p->b->kernel); i++) {
		const struct ss_entry *entry = ss_kernel_entry(p->b->kernel, i);

		if (!entry->is_shadowed && !find_entry(p->a, entry->name))
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

static int print_pair(struct batch *batch, struct pair *p)
{
	struct doc *doc = doc_new(), *unseen = doc_new();
	cJSON *root = json_object(), *releases = json_object();
	double a = p->a->figures.lead_s, b = p->b->figures.lead_s;
	struct difference difference;

	doc_heading(doc, "A %s against B %s", session_text(p->a->session->scenario, 0, SS_F_NAME),
		    session_text(p->b->session->scenario, 0, SS_F_NAME));
	if (has_prices(p))
		doc_line(doc, MARK_STRONG, "%s: %s against %s, %s (%s)",
			 figure_title(p->b->session->figure), number_time(a).text,
			 number_time(b).text, number_time_signed(b - a).text,
			 a > 0 ? number_percent((b - a) / a, 1).text : "-");
	find_difference(p, &difference);
	put_note(doc, &difference);
	put_marks(p, doc);
	json_put_count(root, "format", 1);
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

	if (batch->arguments->name_count + is_made < 2) {
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
	int status = only_check(batch, section_names);

	if (status)
		return status;

	for (int i = 0; i < 2; i++) {
		sessions[i] = (struct session){ 0 };
		findings[i] = (struct findings){ 0 };
	}
	status = open_first(batch, &sessions[0]);
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
