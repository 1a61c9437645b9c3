/**
 * @file
 * The parts of a report for a person: one function a section, each adding to a
 * document. Names are those of the JSON contract's keys.
 */
#ifndef REPORT_SECTIONS_H
#define REPORT_SECTIONS_H

#include "case/findings.h"
#include "report/printout.h"

/** What is priced, in two lines. */
/* The sections in order: each a key of the JSON contract, json_NAME() and section_NAME(). */
#define SECTION_LIST(X)                                                                 \
	X(scenario)                                                                     \
	X(price)                                                                        \
	X(fit) X(memory) X(layers) X(resolved) X(routes) X(moe_bindings) X(gdn_prefill) \
		X(divergences) X(evidence) X(validation) X(provenance) X(review) X(warnings)

void section_scenario(struct doc *doc, const struct findings *f);
void section_warnings(struct doc *doc, const struct findings *f);
void section_divergences(struct doc *doc, const struct findings *f);
void section_price(struct doc *doc, const struct findings *f);
/** Each measured kernel apart, with its curve: see `kernels`. */
void section_kernels(struct doc *doc, const struct findings *f);
void section_layers(struct doc *doc, const struct findings *f);
void section_memory(struct doc *doc, const struct findings *f);
void section_fit(struct doc *doc, const struct findings *f);
void section_resolved(struct doc *doc, const struct findings *f);
void section_evidence(struct doc *doc, const struct findings *f);
/** How far off the price was of published runs like these. */
void section_validation(struct doc *doc, const struct findings *f);
void section_provenance(struct doc *doc, const struct findings *f);

/** What was made of each assumed entry; nothing when there is no review. */
void section_review(struct doc *doc, const struct findings *f);
void section_routes(struct doc *doc, const struct findings *f);
void section_moe_bindings(struct doc *doc, const struct findings *f);
void section_gdn_prefill(struct doc *doc, const struct findings *f);

/** What the kernel itself assumed or missed, and why: see `resolve`. */
void section_assumed(struct doc *doc, const struct findings *f);

/** The table of every priced term's layers, nodes and shares: see `model`. */
void section_model(struct doc *doc, const struct findings *f);
void section_walk(struct doc *doc, const struct findings *f);
void section_sensitivity(struct doc *doc, const struct findings *f);

/** `Serial`, `NoOverlap`, `Overlap`. */
const char *figure_title(enum ss_figure figure);
/** An entry's value with its units, for a person. */
const char *entry_value_text(const struct ss_entry *entry, char *out, size_t size);

/** The layer kind's name, `head` or `host`. */
const char *layer_name(const struct findings *f, int kind);
/** The weakest method a term read, its floor and slope together. */
enum ss_method term_method(const struct findings *f, const struct ss_term *term);
/** What one engine release, one registry and one batch make of the case: for a reviewer to sign. */
void section_audit(struct doc *doc, const struct findings *f);

#endif
