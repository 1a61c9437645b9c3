/* The commands about one case: they differ in the sections they print. */
#include <stdlib.h>
#include <string.h>

#include "case/findings.h"
#include "case/review.h"
#include "text/words.h"
#include "report/json_price.h"
#include "cli/only.h"
#include "cli/run.h"
#include "report/sections.h"

struct section {
	const char *name; /* key of the JSON contract */
	cJSON *(*json)(const struct findings *f);
	void (*text)(struct doc *doc, const struct findings *f); /* NULL: none */
};

/* clang-format off */
static const struct section sections[] = {
#define X(name) { #name, json_##name, section_##name },
	SECTION_LIST(X)
#undef X
};
/* clang-format on */

#define SECTION_COUNT (sizeof(sections) / sizeof(sections[0]))

static const char section_names[] =
#define X(name) #name ","
	SECTION_LIST(X)
#undef X
	;

/** What a command prints; names apart by one blank, NULL is all. */
struct selection {
	const char *json, *text;
	bool needs_price;     /**< status 1 when the step cannot be priced */
	bool has_audit;       /**< in Markdown, the audit instead */
	const char *own_name; /**< of what comes after the sections: */
	void (*own)(struct doc *doc, const struct findings *f);
	cJSON *(*own_json)(const struct findings *f); /**< NULL: nothing */
};

static int print_json(struct batch *batch, const struct findings *f, const char *names,
		      const struct selection *selection)
{
	const struct ss_basis_inputs *in = ss_basis_inputs(ss_kernel_basis(f->kernel));
	cJSON *root = json_object();

	json_put_count(root, "format", 1);
	/* sections picked are all there is, but a release priced as another is never out of sight
	 */
	if (in->is_fallback_pack || !arguments_value(batch->arguments, OPT_ONLY))
		json_put(root, "engine", json_engine(f));
	for (size_t i = 0; i < SECTION_COUNT; i++)
		if (!names || only_lists(names, sections[i].name))
			json_put(root, sections[i].name, sections[i].json(f));
	if (selection->own_json && !arguments_value(batch->arguments, OPT_ONLY))
		json_put(root, selection->own_name, selection->own_json(f));
	if (!f->has_price)
		json_put(root, "error", batch_error_json("refused", &f->session->problems));
	return batch_print_json(batch, root);
}

static int print_text(struct batch *batch, const struct findings *f, const char *names,
		      const struct selection *selection)
{
	struct doc *doc = doc_new();
	bool is_audit =
		selection->has_audit && !names && batch->arguments->format == FORMAT_MARKDOWN;

	if (is_audit)
		section_audit(doc, f);
	for (size_t i = 0; !is_audit && i < SECTION_COUNT; i++)
		if (sections[i].text && (!names || only_lists(names, sections[i].name))) {
			doc_section(doc, sections[i].name);
			sections[i].text(doc, f);
		}
	if (selection->own && !arguments_value(batch->arguments, OPT_ONLY)) {
		doc_section(doc, selection->own_name);
		selection->own(doc, f);
	}
	return batch_print(batch, doc);
}

/** The review beside the scenario's file, where it is printed; 0 or a status. */
static int find_review(struct batch *batch, const struct session *session, const char *names,
		       struct ss_review **out)
{
	struct ss_problems problems = { 0 };
	struct ss_error err = { 0 };
	int status = EXIT_PRICED;

	if (names && !only_lists(names, "review"))
		return EXIT_PRICED;
	if (review_beside(out, session->scenario->file, &problems))
		status = batch_fail(batch, SS_EDOCUMENT, &problems, &err);
	ss_problems_release(&problems);
	return status;
}

/** Published runs like the case, where they are printed; 0 or a status. */
static int find_validation(struct batch *batch, struct findings *f, const char *names)
{
	struct ss_error err = { 0 };
	enum ss_status rc;

	if (names && !only_lists(names, "validation"))
		return EXIT_PRICED;
	rc = findings_validate(f);
	return rc ? batch_fail(batch, rc, &f->validated.problems, &err) : EXIT_PRICED;
}

static int run_case(struct batch *batch, const struct selection *selection)
{
	const char *only = arguments_value(batch->arguments, OPT_ONLY);
	struct session session = { 0 };
	struct ss_review *review = NULL;
	struct findings f = { 0 };
	int status = only_check(batch, section_names);

	if (!status)
		status = batch_open(batch, &session, batch_scenario(batch));
	if (status)
		return status;
	status = find_review(batch, &session, only ? only : selection->json, &review);
	if (status) {
		session_release(&session);
		return status;
	}
	session.review = review;
	status = batch_findings(batch, &f, &session);
	if (!status)
		status = find_validation(batch, &f,
					 only                   ? only
					 : batch_is_json(batch) ? selection->json
								: selection->text);
	if (!status && batch_is_json(batch))
		status = print_json(batch, &f, only ? only : selection->json, selection);
	else if (!status)
		status = print_text(batch, &f, only ? only : selection->text, selection);
	if (!status && !f.has_price && selection->needs_price) {
		batch_say_problems(&session.problems, SS_REFUSAL);
		status = EXIT_REFUSED;
	}
	if (!status && !f.fit.fits && arguments_has(batch->arguments, OPT_REQUIRE_FIT))
		status = EXIT_REFUSED;
	findings_release(&f);
	session_release(&session);
	ss_review_free(review);
	return status;
}

int run_report(struct batch *batch)
{
	static const struct selection selection = { .needs_price = true, .has_audit = true };

	return run_case(batch, &selection);
}

int run_price(struct batch *batch)
{
	static const struct selection selection = {
		.json = "scenario price fit memory divergences evidence warnings",
		.text = "scenario price fit memory divergences warnings",
		.needs_price = true,
	};

	return run_case(batch, &selection);
}

int run_resolve(struct batch *batch)
{
	static const struct selection selection = {
		.json = "scenario resolved routes moe_bindings gdn_prefill warnings",
		.text = "scenario resolved routes moe_bindings gdn_prefill warnings",
		.own_name = "assumed",
		.own = section_assumed,
	};

	return run_case(batch, &selection);
}

int run_provenance(struct batch *batch)
{
	static const struct selection selection = { .json = "scenario provenance warnings",
						    .text = "provenance" };

	return run_case(batch, &selection);
}

int run_evidence(struct batch *batch)
{
	static const struct selection selection = {
		.json = "scenario evidence validation divergences warnings",
		.text = "scenario evidence validation divergences",
	};

	return run_case(batch, &selection);
}

int run_walk(struct batch *batch)
{
	static const struct selection selection = {
		.json = "scenario evidence divergences warnings",
		.text = "scenario",
		.own_name = "walk",
		.own = section_walk,
		.own_json = json_walk,
	};

	return run_case(batch, &selection);
}

int run_memory(struct batch *batch)
{
	static const struct selection selection = { .json = "scenario memory fit warnings",
						    .text = "scenario memory fit warnings" };

	return run_case(batch, &selection);
}

int run_layers(struct batch *batch)
{
	static const struct selection selection = {
		.json = "scenario price layers divergences warnings",
		.text = "scenario layers divergences",
		.needs_price = true,
	};

	return run_case(batch, &selection);
}

int run_kernels(struct batch *batch)
{
	static const struct selection selection = {
		.json = "scenario price warnings",
		.text = "scenario",
		.needs_price = true,
		.own_name = "kernels",
		.own = section_kernels,
		.own_json = json_kernels,
	};

	return run_case(batch, &selection);
}

int run_sensitivity(struct batch *batch)
{
	static const struct selection selection = {
		.json = "scenario provenance divergences warnings",
		.text = "scenario",
		.needs_price = true,
		.own_name = "sensitivity",
		.own = section_sensitivity,
	};

	return run_case(batch, &selection);
}
