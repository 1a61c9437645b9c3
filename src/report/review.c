/* The review of a case: what is assumed, in the order of the walk, and what was made of it. */
#include <stdlib.h>
#include <string.h>

#include "case/review.h"
#include "report/json_price.h"
#include "report/sections.h"
#include "stepscope/registry.h"

/* clang-format off */
static const struct column review_columns[] = {
	{ "", "place", true }, { "assumed", "name", false }, { "value", "value", true },
	{ "units", "units", false }, { "stands", "state", false }, { "judged at", "judged", false },
	{ "by", "reviewer", false }, { "when", "date", false }, { "note", "note", false },
};
/* clang-format on */

#define COLUMNS (sizeof(review_columns) / sizeof(review_columns[0]))

/* Hash of the scenario as it is written. */
static void scenario_hash(const struct session *session, char out[SS_SHA256_SIZE])
{
	char *json = ss_scenario_to_json(session->scenario);

	if (!json)
		out_of_memory();
	ss_sha256(out, json, strlen(json));
	free(json);
}

/* Judgements made of another scenario than this is now. */
static size_t of_another(const struct ss_review *review, const char *sha256)
{
	size_t count = 0;

	for (size_t i = 0; i < review->count; i++) {
		const struct ss_review_entry *said = &review->entries[i];

		count += said->verdict != SS_JUDGEMENT_OPEN && *said->scenario_sha256 &&
			 strcmp(said->scenario_sha256, sha256) != 0;
	}
	return count;
}

static bool is_assumed(const struct findings *f, const char *name)
{
	for (size_t i = 0; i < ss_kernel_entry_count(f->kernel); i++)
		if (review_concerns(f->kernel, f->session->figure, i) &&
		    !strcmp(ss_kernel_entry(f->kernel, i)->name, name))
			return true;
	return false;
}

/* What became of one that is assumed no more. */
static const char *past_state(const struct ss_review_entry *said)
{
	return said->verdict == SS_JUDGEMENT_STATED ? "stated" : "no longer assumed";
}

static void put_said(struct doc *doc, const struct ss_review_entry *said)
{
	char value[200] = "";

	if (said && said->verdict != SS_JUDGEMENT_OPEN)
		review_value_text(said, value, sizeof(value));
	doc_cell(doc, MARK_NONE, value);
	doc_cell(doc, MARK_NONE, said ? said->reviewer : "");
	doc_cell(doc, MARK_NONE, said ? said->date : "");
	doc_cell(doc, MARK_NONE, said ? said->note : "");
}

static void put_assumed(struct doc *doc, const struct findings *f)
{
	size_t count;
	struct ss_walk_item *walk = findings_walk(f, &count);

	for (size_t i = 0; i < count; i++) {
		const struct ss_entry *entry = ss_kernel_entry(f->kernel, (size_t)walk[i].entry);
		const struct ss_review_entry *said =
			ss_review_find(f->session->review, entry->name);
		enum review_state state = review_state(said, entry);
		char value[160];

		doc_count(doc, MARK_NONE, (long long)i + 1);
		doc_cell(doc, state == REVIEW_ACCEPTED ? MARK_NONE : MARK_ASSUMED, entry->name);
		doc_cell(doc, MARK_NONE, entry_value_text(entry, value, sizeof(value)));
		doc_cell(doc, MARK_NONE,
			 entry->coefficient ? ss_unit_name(entry->coefficient->units) : "");
		doc_cell(doc, state == REVIEW_CHANGED ? MARK_DIVERGES : MARK_NONE,
			 review_state_name(state));
		put_said(doc, said);
	}
	free(walk);
}

static void put_past(struct doc *doc, const struct findings *f)
{
	const struct ss_review *review = f->session->review;

	for (size_t i = 0; i < review->count; i++) {
		const struct ss_review_entry *said = &review->entries[i];

		if (is_assumed(f, said->name))
			continue;
		doc_cell(doc, MARK_NONE, "-");
		doc_cell(doc, MARK_DIM, said->name);
		doc_cell(doc, MARK_NONE, "");
		doc_cell(doc, MARK_NONE, said->units);
		doc_cell(doc, MARK_NONE, past_state(said));
		put_said(doc, said);
	}
}

void section_review(struct doc *doc, const struct findings *f)
{
	const struct ss_review *review = f->session->review;
	struct review_count n;
	char sha256[SS_SHA256_SIZE];
	size_t others;

	if (!review)
		return;
	n = review_count(review, f->kernel, f->session->figure);
	scenario_hash(f->session, sha256);
	others = of_another(review, sha256);
	doc_heading(doc, "Review: %zu of %zu assumed entries accepted, %zu open, %zu changed since",
		    n.accepted, n.assumed, n.open, n.changed);
	doc_table(doc, review_columns, COLUMNS, true);
	put_assumed(doc, f);
	put_past(doc, f);
	if (others)
		doc_line(doc, MARK_NONE,
			 "%zu judgement%s of the scenario as it was before its last change.",
			 others, others == 1 ? " is" : "s are");
}

/* -- JSON ----------------------------------------------------------------------------- */

static void put_said_json(cJSON *o, const struct ss_review_entry *said)
{
	if (!said || said->verdict == SS_JUDGEMENT_OPEN)
		json_put_null(o, "judged");
	else if (said->has_value)
		json_put_number(o, "judged", said->value);
	else
		json_put_text(o, "judged", said->value_text);
	json_put_text_or_null(o, "verdict", said ? ss_judgement_name(said->verdict) : "");
	json_put_text_or_null(o, "reviewer", said ? said->reviewer : "");
	json_put_text_or_null(o, "date", said ? said->date : "");
	json_put_text_or_null(o, "note", said ? said->note : "");
	json_put_text_or_null(o, "scenario_sha256", said ? said->scenario_sha256 : "");
}

static cJSON *entries_json(const struct findings *f)
{
	const struct ss_review *review = f->session->review;
	size_t count;
	struct ss_walk_item *walk = findings_walk(f, &count);
	cJSON *list = json_array();

	for (size_t i = 0; i < count; i++) {
		const struct ss_entry *entry = ss_kernel_entry(f->kernel, (size_t)walk[i].entry);
		const struct ss_review_entry *said = ss_review_find(review, entry->name);
		cJSON *o = json_object();

		json_put_text(o, "name", entry->name);
		if (entry->has_value)
			json_put_number(o, "value", entry->value);
		else
			json_put_text_or_null(o, "value", entry->value_text);
		json_put_text(o, "state", review_state_name(review_state(said, entry)));
		put_said_json(o, said);
		json_put(list, NULL, o);
	}
	free(walk);
	for (size_t i = 0; i < review->count; i++) {
		cJSON *o;

		if (is_assumed(f, review->entries[i].name))
			continue;
		o = json_object();
		json_put_text(o, "name", review->entries[i].name);
		json_put_null(o, "value");
		json_put_text(o, "state", past_state(&review->entries[i]));
		put_said_json(o, &review->entries[i]);
		json_put(list, NULL, o);
	}
	return list;
}

cJSON *json_review(const struct findings *f)
{
	struct review_count n;
	char sha256[SS_SHA256_SIZE];
	cJSON *o;

	if (!f->session->review)
		return cJSON_CreateNull();
	n = review_count(f->session->review, f->kernel, f->session->figure);
	scenario_hash(f->session, sha256);
	o = json_object();
	json_put_count(o, "assumed", (int64_t)n.assumed);
	json_put_count(o, "accepted", (int64_t)n.accepted);
	json_put_count(o, "open", (int64_t)n.open);
	json_put_count(o, "changed", (int64_t)n.changed);
	json_put_text(o, "scenario_sha256", sha256);
	json_put(o, "entries", entries_json(f));
	return o;
}
