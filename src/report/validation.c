/* How far off the price was of published runs like the case. */
#include <math.h>

#include "case/validated.h"
#include "report/json_price.h"
#include "report/sections.h"
#include "text/number.h"

static const char *const levels[] = { "model_and_part", "model", "part", "none" };

static enum ss_figure lead_of(const struct findings *f)
{
	return ss_kernel_lead(f->kernel, f->session->figure);
}

void section_validation(struct doc *doc, const struct findings *f)
{
	static const struct column columns[] = {
		{ "of", "of", false },  { "runs", "runs", true }, { "median", "median", true },
		{ "p90", "p90", true }, { "bias", "bias", true },
	};
	const struct validated *v = &f->validated;
	struct score_stat stat;
	char text[256];

	validated_stat(&stat, v, lead_of(f));
	validated_text(text, sizeof(text), v, lead_of(f));
	if (!v->is_done)
		return;
	doc_heading(doc, "Validated");
	doc_line(doc, MARK_NONE, "%s (%s; `score` shows them)", text, figure_title(lead_of(f)));
	doc_data(doc, columns, sizeof(columns) / sizeof(columns[0]));
	if (stat.rows) {
		doc_cell(doc, MARK_NONE, levels[v->level]);
		doc_count(doc, MARK_NONE, (long long)stat.rows);
		doc_number(doc, MARK_NONE, number_percent(stat.median, 1).text, stat.median);
		doc_number(doc, MARK_NONE, number_percent(stat.p90, 1).text, stat.p90);
		doc_number(doc, MARK_NONE, number_signed(stat.bias * 100, 1).text, stat.bias);
	}
}

cJSON *json_validation(const struct findings *f)
{
	cJSON *o = json_object();
	const struct validated *v = &f->validated;
	struct score_stat stat;

	validated_stat(&stat, v, lead_of(f));
	json_put_text(o, "of", v->is_done ? levels[v->level] : "none");
	json_put_text(o, "figure", ss_figure_name(lead_of(f)));
	json_put_count(o, "runs", (int64_t)stat.rows);
	json_put_number(o, "median", stat.rows ? stat.median : NAN);
	json_put_number(o, "p90", stat.rows ? stat.p90 : NAN);
	json_put_number(o, "bias", stat.rows ? stat.bias : NAN);
	return o;
}
