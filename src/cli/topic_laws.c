/* stepscope-laws(7): prose where a law needs it, rows of the tables for the rest. */
#include <stdio.h>

#include "cli/topics.h"
#include "stepscope/coefficients.h"
#include "stepscope/kernel.h"

static const struct {
	const char *title, *text;
} prose[] = {
	{ "A batch",
	  "A step prices a list of groups: identical requests with tokens scheduled now and "
	  "tokens computed before. A request that schedules more tokens than the decode "
	  "threshold is a prefill, any other a decode. Work grows with the groups and the kinds "
	  "of layers, not with the requests." },
	{ "Figures",
	  "Each layer kind is priced term by term on the resource it occupies: sm, hbm, nvlink, "
	  "nic, pcie or host. Overlap takes each layer at its slowest resource; NoOverlap adds "
	  "all of them; Serial runs one kernel after another, each at the larger of its compute "
	  "and its reads, and lies between. `--figure` chooses which one leads." },
	{ "GEMMs",
	  "A matrix of n by k over T rows takes 2 T n k FLOPs over the peak of its format times "
	  "a ramp that grows with T; its weights are read at the derated bandwidth. Tensor "
	  "parallelism divides both." },
	{ "Experts",
	  "Tokens of all data-parallel ranks go through the experts of a rank. Compute and reads "
	  "add. The reads are those of the experts that at least one token reaches." },
	{ "Attention",
	  "A decode reads its context from the KV cache: a floor and bytes over a measured rate. "
	  "A prefill multiplies query-key pairs: a floor and FLOPs over a share of the GEMM "
	  "ramp, or five measured values where a kernel was timed. Windows, top-k selections and "
	  "decode-context shards limit what is read." },
	{ "Collectives",
	  "The larger of floor plus bytes at the transition rate and bytes at the peak rate, "
	  "from the width's own coefficients. A group that leaves its node moves its bytes over "
	  "the network, stretched by the ratio of the links." },
	{ "Host", "A replayed graph costs a constant, a piecewise one a constant a segment, a step "
		  "without graphs a launch a kernel. What async scheduling hides is not charged." },
	{ "Memory",
	  "Weights, activation, communicator, workspace and graph captures of one rank; what is "
	  "left of the budget is the KV pool, grouped into blocks as the engine groups them. A "
	  "correction of the room is a line of its own." },
	{ "Evidence",
	  "Each value has a method: measured, literature, vendor, copied or assumed. Shares of a "
	  "step by method are shares of its seconds. The band takes every value to the end of "
	  "its interval that helps, then to the one that hurts, each within what is physically "
	  "possible." },
};

/** What stands behind a family's name. */
static void put_family(struct manual_page *page, size_t index)
{
	struct ss_coefficient_family family;
	char law[400];

	ss_coefficient_family(&family, index);
	(void)snprintf(law, sizeof(law), "%s%s", family.law, *family.without ? "" : ".");
	page_item(page, family.name, family.suffix, law);
	if (!*family.without)
		return;
	(void)snprintf(law, sizeof(law), "Without it: %s.", family.without);
	page_more(page, law);
}

static void put_divergence(struct manual_page *page, enum ss_divergence_id id)
{
	const struct ss_divergence *row = ss_divergence(id);
	char text[1600];

	(void)snprintf(text, sizeof(text), "%s %s%s", ss_divergence_reason(id),
		       row->has_correction            ? "It can be corrected"
		       : *ss_divergence_direction(id) ? "Not corrected"
						      : "",
		       row->is_on_by_default ? ", and is unless turned off." : ".");
	page_item(page, row->name, "", text);
}

void topic_laws(struct manual_page *page)
{
	page_heading(page, "Description");
	page_paragraph(page, "A law turns a deployment and a batch into seconds or bytes with "
			     "values from coefficient sets. Seconds are those of one rank and one "
			     "forward step.");
	for (size_t i = 0; i < sizeof(prose) / sizeof(prose[0]); i++) {
		page_subheading(page, prose[i].title);
		page_paragraph(page, prose[i].text);
	}
	page_heading(page, "Terms");
	page_paragraph(page, "The parts of a step, by their names in JSON:");
	for (int i = 0; i < SS_TERM_COUNT; i++)
		page_item(page, ss_term_name((enum ss_term_id)i), "",
			  ss_term_label((enum ss_term_id)i));
	page_heading(page, "Coefficients");
	page_paragraph(page, "Each family with the law that reads it. Times are in microseconds, "
			     "rates in bytes, FLOPs or tokens a microsecond. `stepscope list sets` "
			     "lists the sets, `stepscope provenance` the entries in scope with "
			     "their sources.");
	for (size_t i = 0; i < ss_coefficient_family_count(); i++)
		put_family(page, i);
	page_heading(page, "Where the laws err");
	page_paragraph(page, "Where a law is known to price otherwise than the engine runs, each "
			     "price carries the seconds that makes. `--correct` prices without.");
	for (int i = 0; i < SS_DIVERGENCE_COUNT; i++)
		put_divergence(page, (enum ss_divergence_id)i);
	page_paragraph(page, ss_divergence_caution());
	topic_releases(page);
	page_heading(page, "See also");
	page_paragraph(page, "`stepscope`(1), `stepscope-registry`(5)");
}
