/*
 * The audit: what is priced, what comes out, what that stands on and which bytes
 * it was read from. The same input gives the same bytes.
 */
#include "config.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "text/number.h"
#include "text/words.h"
#include "report/sections.h"

/* clang-format off */
static const struct column setting_columns[] = {
	{ "setting", "path", false }, { "stated", "value", false },
};
static const struct column whatif_columns[] = {
	{ "coefficient", "name", false }, { "tried at", "value", true },
	{ "instead of", "original", true }, { "units", "units", false },
};
static const struct column correction_columns[] = {
	{ "correction", "name", false }, { "acts on", "target", false }, { "in force", "on", false },
	{ "because", "reason", false },
};
static const struct column term_columns[] = {
	{ "layers", "kind", false }, { "term", "term", false }, { "of", "detail", false },
	{ "resource", "resource", false }, { "charge", "seconds", true },
	{ "shows", "figure_s", true }, { "share", "share", true }, { "rests on", "method", false },
	{ "law with its numbers", "law", false },
};
static const struct column fixed_columns[] = {
	{ "fixed bytes of a rank", "name", false }, { "bytes", "bytes", true },
	{ "share", "share", true }, { "law with its numbers", "law", false },
};
static const struct column share_columns[] = {
	{ "method", "method", false }, { "entries", "entries", true },
	{ "of the price", "price_share", true }, { "of the fixed bytes", "memory_share", true },
	{ "spread in the band", "spread", true },
};
static const struct column assumed_columns[] = {
	{ "", "place", true }, { "assumed", "name", false }, { "value", "value", true },
	{ "units", "units", false }, { "set", "set", false }, { "price", "elasticity", true },
	{ "KV room", "room_elasticity", true }, { "why", "why", false },
	{ "what would replace it", "instead", false },
};
static const struct column read_columns[] = {
	{ "read", "name", false }, { "value", "value", true }, { "units", "units", false },
	{ "method", "method", false }, { "set and scope", "scope", false },
	{ "price", "elasticity", true }, { "KV room", "room_elasticity", true },
	{ "sources", "sources", false },
};
static const struct column document_columns[] = {
	{ "document", "kind", false }, { "name", "name", false }, { "SHA-256", "sha256", false },
};
/* clang-format on */

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* -- what is priced ------------------------------------------------------------------- */

static void put_title(struct doc *doc, const struct findings *f)
{
	const struct session *s = f->session;
	char text[400];

	doc_heading(doc, "Audit of %s", session_text(s->scenario, 0, SS_F_NAME));
	doc_line(doc, MARK_NONE,
		 "stepscope " PACKAGE_VERSION ", format 1. The price of one forward pass of %s %s, "
		 "by the behaviour of release %s; worked out, not measured.",
		 session_text(s->scenario, 0, SS_F_ENGINE),
		 session_text(s->scenario, 0, SS_F_ENGINE_VERSION), SS_PRICED_RELEASE);
	if (!f->has_price)
		return;
	doc_line(doc, MARK_NONE,
		 "%s (%s); by the laws between %s and %s; the band of all its values is %s to %s.",
		 number_time(f->figures.lead_s).text, figure_title(s->figure),
		 number_time(f->figures.step.overlap_s).text,
		 number_time(f->figures.step.no_overlap_s).text, number_time(f->band_s[0]).text,
		 number_time(f->band_s[1]).text);
	(void)ss_share_sentence(f->kernel, &f->share, "this step", text, sizeof(text));
	doc_line(doc, MARK_NONE, "%s.", text);
	(void)ss_share_sentence(f->kernel, &f->memory_share, "the fixed bytes", text, sizeof(text));
	doc_line(doc, MARK_NONE, "%s.", text);
}

static void put_setting(struct doc *doc, const struct findings *f, enum ss_field_id id)
{
	const struct session *s = f->session;
	const struct ss_field *field = ss_field(id);
	const struct ss_value *value = ss_scenario_value(s->scenario, s->pool, id);
	char path[160];
	size_t length;
	char *text;

	if (!value->is_stated)
		return;
	if (field->owner == SS_OWNER_POOL)
		(void)snprintf(path, sizeof(path), "pools[%zu].%s", s->pool, field->path);
	else
		(void)snprintf(path, sizeof(path), "%s%s", ss_field_prefix(field->owner),
			       field->path);
	length = ss_value_format(NULL, 0, field, value);
	text = xmalloc(length + 1);
	(void)ss_value_format(text, length + 1, field, value);
	doc_cell(doc, MARK_NONE, path);
	doc_cell(doc, MARK_NONE, text);
	free(text);
}

/** What a run states beside the scenario; 0 is unstated. */
static void put_count(struct doc *doc, const char *name, int64_t count)
{
	if (count <= 0)
		return;
	doc_cell(doc, MARK_NONE, name);
	doc_count(doc, MARK_NONE, (long long)count);
}

static void put_stated(struct doc *doc, const struct findings *f)
{
	doc_heading(doc, "Stated");
	doc_table(doc, setting_columns, COUNT(setting_columns), true);
	for (int id = 0; id < SS_FIELD_COUNT; id++)
		put_setting(doc, f, (enum ss_field_id)id);
	put_count(doc, "decode threshold of the batch", f->session->decode_threshold);
	put_count(doc, "SM budget of the batch", f->session->sm_budget);
	doc_line(doc, MARK_NONE, "Everything else is left to the engine.");
}

static void put_whatifs(struct doc *doc, const struct findings *f)
{
	bool has_any = false;

	doc_heading(doc, "What-ifs in force");
	for (size_t i = 0; i < ss_kernel_entry_count(f->kernel); i++) {
		const struct ss_entry *e = ss_kernel_entry(f->kernel, i);

		if (!e->is_whatif || e->is_shadowed)
			continue;
		if (!has_any)
			doc_table(doc, whatif_columns, COUNT(whatif_columns), true);
		has_any = true;
		doc_cell(doc, MARK_ASSUMED, e->name);
		doc_number(doc, MARK_NONE, show_value(e->value).text, e->value);
		if (e->coefficient)
			doc_number(doc, MARK_NONE, show_value(e->original).text, e->original);
		else
			doc_cell(doc, MARK_NONE, "absent");
		doc_cell(doc, MARK_NONE, e->coefficient ? ss_unit_name(e->coefficient->units) : "");
	}
	if (!has_any)
		doc_line(doc, MARK_NONE, "None: every value is that of its set.");
}

static void put_corrections(struct doc *doc, const struct findings *f)
{
	doc_heading(doc, "Corrections");
	doc_table(doc, correction_columns, COUNT(correction_columns), true);
	for (int i = 0; i < SS_DIVERGENCE_COUNT; i++) {
		const struct ss_divergence *row = ss_divergence((enum ss_divergence_id)i);

		if (!row->has_correction)
			continue;
		doc_cell(doc, MARK_NONE, row->name);
		doc_cell(doc, MARK_NONE,
			 row->target == SS_DIVERGES_ROOM ? "room for KV" : "the step");
		doc_cell(doc, MARK_NONE, f->session->corrections & (1u << i) ? "yes" : "no");
		doc_cell(doc, MARK_NONE, ss_divergence_reason(row->id));
	}
}

/* -- price and memory, by their laws ---------------------------------------------------- */

/** `measured`, or `measured, floor assumed` where a charge's parts differ. */
static void put_footing(struct doc *doc, const struct findings *f, const struct ss_term *term)
{
	struct ss_term floor = *term, slope = *term;
	enum ss_method under, over;
	char text[80];

	floor.slope_reads[0] = slope.floor_reads[0] = -1;
	under = term_method(f, &floor);
	over = term_method(f, &slope);
	if (!(fabs(term->floor_s) > 0))
		under = over;
	else if (!(fabs(term->slope_s) > 0))
		over = under;
	(void)snprintf(text, sizeof(text), "%s%s%s", ss_method_name(over),
		       under == over ? "" : ", floor ", under == over ? "" : ss_method_name(under));
	doc_cell(doc,
		 under == SS_METHOD_ASSUMED || over == SS_METHOD_ASSUMED ? MARK_ASSUMED : MARK_NONE,
		 text);
}

static void put_term(struct doc *doc, const struct findings *f, const struct ss_term *term)
{
	struct ss_batch batch = session_batch(f->session);
	double charge_s = term->floor_s + term->slope_s;
	double shown_s = ss_term_figure(term, f->session->figure);
	double share = f->figures.lead_s > 0 ? shown_s / f->figures.lead_s : 0;
	char law[400], kind[160];

	(void)snprintf(kind, sizeof(kind), "%s%s", term->is_draft ? "draft " : "",
		       layer_name(f, term->kind));
	(void)ss_kernel_charge_law(f->kernel, &batch, term, law, sizeof(law));
	doc_cell(doc, MARK_NONE, kind);
	doc_cell(doc, MARK_NONE, ss_term_label_in(term->term, f->figures.step.graph));
	doc_cell(doc, MARK_NONE, term->detail);
	doc_cell(doc, MARK_NONE, ss_resource_name(term->resource));
	doc_number(doc, MARK_NONE, number_time(charge_s).text, charge_s);
	doc_number(doc, MARK_NONE, number_time(shown_s).text, shown_s);
	doc_number(doc, MARK_NONE, number_percent(share, 1).text, share);
	put_footing(doc, f, term);
	doc_cell(doc, MARK_NONE, law);
}

static void put_terms(struct doc *doc, const struct findings *f)
{
	doc_heading(doc, "The step, term by term");
	if (!f->has_price) {
		doc_line(doc, MARK_REFUSED, "not priced");
		return;
	}
	doc_table(doc, term_columns, COUNT(term_columns), true);
	for (size_t i = 0; i < f->breakdown.term_count; i++)
		put_term(doc, f, &f->breakdown.terms[i]);
	if (f->session->figure == SS_FIGURE_KERNELS) {
		doc_line(doc, MARK_NONE, "The charges sum to Kernels, %s.",
			 number_time(f->figures.lead_s).text);
		return;
	}
	doc_line(doc, MARK_NONE,
		 "The charges sum to NoOverlap, %s; what shows sums to the figure, %s.",
		 number_time(f->figures.step.no_overlap_s).text,
		 number_time(f->figures.lead_s).text);
}

static void put_fixed_terms(struct doc *doc, const struct findings *f)
{
	const struct ss_memory *m = ss_kernel_memory(f->kernel);

	doc_heading(doc, "The fixed bytes, term by term");
	doc_table(doc, fixed_columns, COUNT(fixed_columns), true);
	for (int i = 0; i < SS_MEMORY_TERM_COUNT; i++) {
		enum ss_memory_term term = (enum ss_memory_term)i;
		double bytes = (double)ss_memory_term_bytes(m, term);
		char law[200];

		if (!(bytes > 0))
			continue;
		(void)ss_kernel_memory_law(f->kernel, term, law, sizeof(law));
		doc_cell(doc, MARK_NONE, ss_memory_term_label(term));
		doc_number(doc, MARK_NONE, show_value(bytes).text, bytes);
		doc_number(doc, MARK_NONE, number_percent(bytes / (double)m->total_bytes, 1).text,
			   bytes / (double)m->total_bytes);
		doc_cell(doc, MARK_NONE, law);
	}
}

/* -- what it stands on -------------------------------------------------------------------- */

static void put_shares(struct doc *doc, const struct findings *f)
{
	double price[SS_SHARE_PARTS], memory[SS_SHARE_PARTS];

	ss_share_percents(&f->share, 1, price);
	ss_share_percents(&f->memory_share, 1, memory);
	doc_heading(doc, "Evidence: %zu of %zu entries, %zu assumed", f->evidence.evidenced,
		    f->evidence.total, f->evidence.assumed);
	doc_line(doc, MARK_NONE,
		 "A second or byte counts for the weakest method of what it was worked out from, "
		 "floor "
		 "and slope apart. The band is interval composition: every value at the end of its "
		 "ci95, or of its method's spread, that helps, then at the one that hurts.");
	doc_table(doc, share_columns, COUNT(share_columns), true);
	for (int m = SS_METHOD_COUNT - 1; m >= 0; m--) {
		doc_cell(doc, MARK_NONE, ss_method_name((enum ss_method)m));
		doc_count(doc, MARK_NONE, (long long)f->evidence.by_method[m]);
		doc_number(doc, MARK_NONE, number_percent(price[m] / 100, 1).text,
			   f->share.by_method[m]);
		doc_number(doc, MARK_NONE, number_percent(memory[m] / 100, 1).text,
			   f->memory_share.by_method[m]);
		doc_number(doc, MARK_NONE, number_percent(f->session->spread.share[m], 0).text,
			   f->session->spread.share[m]);
	}
	doc_cell(doc, MARK_NONE, "the model graph");
	doc_cell(doc, MARK_NONE, "-");
	doc_cell(doc, MARK_NONE, "-");
	doc_number(doc, MARK_NONE, number_percent(memory[SS_METHOD_COUNT] / 100, 1).text,
		   f->memory_share.graph);
	doc_cell(doc, MARK_NONE, "-");
}

static void put_value(struct doc *doc, const struct ss_entry *e)
{
	char text[160];

	(void)entry_value_text(e, text, sizeof(text));
	doc_cell(doc, MARK_NONE, text);
	doc_cell(doc, MARK_NONE, e->coefficient ? ss_unit_name(e->coefficient->units) : "");
}

static void put_moves(struct doc *doc, const struct findings *f, size_t index)
{
	const struct ss_influence *influence = &f->influences[index];

	/* a setting has no elasticity: it moves by steps */
	if (*ss_kernel_entry_setting(f->kernel, (int)index))
		doc_cell(doc, MARK_NONE, "a setting");
	else
		doc_cell(doc, MARK_NONE,
			 influence->is_read ? number_signed(influence->elasticity, 3).text
					    : "0, not read");
	doc_cell(doc, MARK_NONE,
		 influence->is_memory ? number_signed(influence->room_elasticity, 3).text : "0");
}

static void put_assumed(struct doc *doc, const struct findings *f)
{
	size_t count;
	struct ss_walk_item *walk = findings_walk(f, &count);
	char instead[320];

	doc_heading(doc, "Everything assumed, in the order of the walk");
	doc_line(doc, MARK_NONE,
		 "What moves the price first, then what moves the room for KV alone, then what "
		 "else the kernel assumed, then the rest. Influence is elasticity: the change in "
		 "percent for a change "
		 "of the value by one percent.");
	doc_table(doc, assumed_columns, COUNT(assumed_columns), true);
	for (size_t i = 0; i < count; i++) {
		int index = walk[i].entry;
		const struct ss_entry *e = ss_kernel_entry(f->kernel, (size_t)index);

		(void)ss_kernel_entry_instead(f->kernel, index, instead, sizeof(instead));
		doc_count(doc, MARK_NONE, (long long)i + 1);
		doc_cell(doc, MARK_NONE, e->name);
		put_value(doc, e);
		doc_cell(doc, MARK_NONE, e->set);
		put_moves(doc, f, (size_t)index);
		doc_cell(doc, MARK_NONE, ss_kernel_entry_why(f->kernel, index));
		doc_cell(doc, MARK_NONE, instead);
	}
	free(walk);
}

static void put_sources(struct doc *doc, const struct ss_entry *e)
{
	struct xbuf text = { 0 };

	/* a value tried is from nowhere */
	for (size_t i = 0; e->coefficient && !e->is_whatif && i < e->coefficient->source_count; i++)
		xbuf_printf(&text, "%s%s (%s)", i ? "; " : "", e->coefficient->sources[i].cite,
			    e->coefficient->sources[i].kind);
	doc_cell(doc, MARK_NONE, text.len ? xbuf_text(&text) : "-");
	xbuf_release(&text);
}

static void put_read(struct doc *doc, const struct findings *f)
{
	char scope[640];

	doc_heading(doc, "Every value that price or memory read");
	doc_table(doc, read_columns, COUNT(read_columns), true);
	for (size_t i = 0; i < ss_kernel_entry_count(f->kernel); i++) {
		const struct ss_entry *e = ss_kernel_entry(f->kernel, i);
		const struct ss_influence *influence = &f->influences[i];

		if (!influence->is_read && !influence->is_memory)
			continue;
		doc_cell(doc, e->method == SS_METHOD_ASSUMED ? MARK_ASSUMED : MARK_NONE, e->name);
		put_value(doc, e);
		doc_cell(doc, MARK_NONE, ss_method_name(e->method));
		(void)snprintf(scope, sizeof(scope), "%s; %s", e->set, e->scope);
		doc_cell(doc, MARK_NONE, scope);
		put_moves(doc, f, i);
		put_sources(doc, e);
	}
}

/* -- what it was read from ---------------------------------------------------------------- */

static const char *kind_name(enum ss_document_kind kind)
{
	static const char *const names[] = {
#define SS_X(id, name, folder) name,
		SS_DOCUMENT_KINDS(SS_X)
#undef SS_X
	};

	return (size_t)kind < COUNT(names) ? names[kind] : "";
}

static void put_document(struct doc *doc, const char *kind, const char *name, const char *sha256)
{
	doc_cell(doc, MARK_NONE, kind);
	doc_cell(doc, MARK_NONE, name);
	doc_cell(doc, MARK_NONE, sha256);
}

static void put_documents(struct doc *doc, const struct findings *f)
{
	const struct session *s = f->session;
	size_t count = ss_registry_documents(s->registry, NULL, 0);
	struct ss_document *documents = xcalloc(count + 1, sizeof(*documents));
	char *scenario = ss_scenario_to_json(s->scenario);
	char sha256[SS_SHA256_SIZE];

	if (!scenario)
		out_of_memory();
	(void)ss_registry_documents(s->registry, documents, count);
	ss_sha256(sha256, scenario, strlen(scenario));
	doc_heading(doc, "Documents");
	doc_table(doc, document_columns, COUNT(document_columns), true);
	put_document(doc, "Scenario as priced", session_text(s->scenario, 0, SS_F_NAME), sha256);
	for (size_t i = 0; i < count; i++)
		put_document(doc, kind_name(documents[i].kind), documents[i].name,
			     documents[i].sha256);
	doc_line(doc, MARK_NONE,
		 "The scenario's hash is of its JSON with the changes of this run, as "
		 "`stepscope` writes it; the others are of the files.");
	free(documents);
	free(scenario);
}

static void put_signature(struct doc *doc, const struct findings *f)
{
	if (f->session->review) {
		section_review(doc, f);
		return;
	}
	doc_heading(doc, "Review");
	doc_line(doc, MARK_NONE, "Reviewed by: ________________________  Date: ____________");
	doc_line(doc, MARK_NONE, "Accepted assumptions (numbers above): ________________________");
}

void section_audit(struct doc *doc, const struct findings *f)
{
	put_title(doc, f);
	section_scenario(doc, f);
	put_stated(doc, f);
	section_resolved(doc, f);
	put_whatifs(doc, f);
	put_corrections(doc, f);
	section_warnings(doc, f);
	section_price(doc, f);
	put_terms(doc, f);
	section_divergences(doc, f);
	section_memory(doc, f);
	put_fixed_terms(doc, f);
	section_fit(doc, f);
	put_shares(doc, f);
	section_validation(doc, f);
	put_assumed(doc, f);
	put_read(doc, f);
	put_documents(doc, f);
	put_signature(doc, f);
}
