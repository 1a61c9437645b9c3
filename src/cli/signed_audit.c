#include "cli/signed_audit.h"

#include <stdlib.h>

#include "case/findings.h"
#include "app/opening_batch.h"
#include "report/sections.h"

static void put_command(struct doc *doc, const struct app *app)
{
	struct xbuf command = { 0 };

	app_command_line(app, &command);
	doc_line(doc, MARK_NONE, "The state above is that of `%s`.", xbuf_text(&command));
	xbuf_release(&command);
}

void signed_audit(struct xbuf *out, const struct app *app)
{
	struct ss_whatif *whatifs = xcalloc(app->draft.whatif_count, sizeof(*whatifs));
	struct ss_scenario *scenario = app_scenario(app);
	struct doc *doc = doc_new();
	struct findings findings;
	struct session session;
	struct xbuf text = { 0 };
	char sha256[SS_SHA256_SIZE];

	app_borrow_session(app, &session, whatifs);
	session.scenario = scenario;
	session.review = app->review->count ? app->review : NULL;
	session.problems = app->problems; /* borrowed like the rest */
	if (findings_new(&findings, &session))
		out_of_memory();
	/* where a file cannot be read, the audit goes without */
	if (findings_validate(&findings))
		ss_problems_release(&findings.validated.problems);
	section_audit(doc, &findings);
	if (app->walk)
		put_command(doc, app);
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
