#include "cli/signed_audit.h"

#include <stdlib.h>

#include "case/findings.h"
#include "app/walk.h"
#include "report/sections.h"

/* clang-format off */
static const struct column walk_columns[] = {
	{ "", "number", true }, { "assumed", "name", false }, { "value walked", "value", false },
	{ "set", "set", false }, { "verdict", "verdict", false }, { "note", "note", false },
};
/* clang-format on */

static void put_walk(struct doc *doc, const struct app *app)
{
	const struct walk *walk = app->walk;
	struct xbuf command = { 0 };
	size_t reviewed = 0;

	for (size_t i = 0; i < walk->count; i++)
		reviewed += walk->items[i].verdict != WALK_OPEN;
	app_command_line(app, &command);
	doc_heading(doc, "The walk: %zu of %zu reviewed", reviewed, walk->count);
	doc_line(doc, MARK_NONE, "The state above is that of `%s`.", xbuf_text(&command));
	doc_table(doc, walk_columns, sizeof(walk_columns) / sizeof(walk_columns[0]), true);
	for (size_t i = 0; i < walk->count; i++) {
		const struct walk_item *item = &walk->items[i];

		doc_count(doc, MARK_NONE, (long long)i + 1);
		doc_cell(doc, MARK_NONE, item->name);
		doc_cell(doc, MARK_NONE, item->value);
		doc_cell(doc, MARK_NONE, item->set);
		doc_cell(doc, MARK_NONE,
			 item->verdict == WALK_OPEN ? "open" : walk_verdict_name(item->verdict));
		doc_cell(doc, MARK_NONE, item->note ? item->note : "");
	}
	xbuf_release(&command);
}

void signed_audit(struct xbuf *out, const struct app *app)
{
	struct ss_whatif *whatifs = xcalloc(app->draft.whatif_count, sizeof(*whatifs));
	struct ss_scenario *scenario = draft_scenario(&app->draft);
	struct doc *doc = doc_new();
	struct findings findings;
	struct session session;
	struct xbuf text = { 0 };
	char sha256[SS_SHA256_SIZE];

	app_borrow_session(app, &session, whatifs);
	session.scenario = scenario;
	session.problems = app->problems; /* borrowed like the rest */
	if (findings_new(&findings, &session))
		out_of_memory();
	section_audit(doc, &findings);
	if (app->walk)
		put_walk(doc, app);
	doc_render_markdown(&text, doc);
	/* Shows a changed audit; no proof of who wrote it. */
	if (app->walk) {
		ss_sha256(sha256, xbuf_text(&text), text.len);
		xbuf_printf(&text, "SHA-256 of all above this line: %s\n", sha256);
	}
	xbuf_puts(out, xbuf_text(&text));
	xbuf_release(&text);
	findings_release(&findings);
	doc_free(doc);
	ss_scenario_free(scenario);
	free(whatifs);
}
