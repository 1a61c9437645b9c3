#include "cli/tour.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "text/shown.h"
#include "case/findings.h"
#include "app/store.h"
#include "report/json_price.h"
#include "cli/run.h"

static const struct {
	const char *name;
	cJSON *(*make)(const struct findings *f);
} sections[] = {
	{ "price", json_price },
	{ "memory", json_memory },
	{ "fit", json_fit },
	{ "resolved", json_resolved },
	{ "evidence", json_evidence },
	{ "layers", json_layers },
	{ "divergences", json_divergences },
	{ "scenario", json_scenario },
};

#define SECTION_COUNT (sizeof(sections) / sizeof(sections[0]))

/** Follow `a.0.b` from an item; NULL when it leads nowhere. */
static const cJSON *follow(const cJSON *item, const char *path)
{
	while (item && *path) {
		char word[96];
		size_t len = strcspn(path, ".");
		char *end;
		long index;

		if (len >= sizeof(word))
			return NULL;
		memcpy(word, path, len);
		word[len] = '\0';
		index = strtol(word, &end, 10);
		if (cJSON_IsArray(item))
			item = *word && !*end && index >= 0 ? cJSON_GetArrayItem(item, (int)index)
							    : NULL;
		else
			item = cJSON_GetObjectItemCaseSensitive(item, word);
		path += len + (path[len] == '.');
	}
	return item;
}

static bool find(void *context, const struct app *app, const char *path, double *out)
{
	size_t len = strcspn(path, "."), s = 0;
	struct ss_whatif *whatifs;
	struct session session;
	struct findings findings;
	const cJSON *item = NULL;
	cJSON *root;
	bool is_number = false;

	(void)context;
	while (s < SECTION_COUNT &&
	       (strlen(sections[s].name) != len || strncmp(sections[s].name, path, len) != 0))
		s++;
	if (s == SECTION_COUNT || !app->quote)
		return false;
	whatifs = xcalloc(app->draft.whatif_count, sizeof(*whatifs));
	app_borrow_session(app, &session, whatifs);
	if (!findings_new(&findings, &session)) {
		root = sections[s].make(&findings);
		item = follow(root, path[len] ? path + len + 1 : "");
		is_number = cJSON_IsNumber(item) || cJSON_IsBool(item);
		if (is_number)
			*out = cJSON_IsNumber(item) ? item->valuedouble
			       : cJSON_IsTrue(item) ? 1
						    : 0;
		else if (cJSON_IsRaw(item) && item->valuestring) {
			/* Numbers are printed ahead, at full precision. */
			*out = strtod(item->valuestring, NULL);
			is_number = isfinite(*out);
		}
		cJSON_Delete(root);
	}
	findings_release(&findings);
	ss_problems_release(&session.problems);
	free(whatifs);
	return is_number;
}

const struct tour_figures tour_json_figures = { .find = find };

static int read_tour(struct tour *tour, struct batch *batch, const char *name)
{
	struct roots roots;
	struct xbuf text = { 0 };
	struct ss_problems problems = { 0 };
	struct ss_error err = { 0 };
	char *path;
	int status = EXIT_DOCUMENT;

	roots_find(&roots, batch->arguments->request.registry);
	path = roots_tour(&roots, name);
	if (!path)
		(void)ss_fail(&err, SS_EDOCUMENT, name, "no such file, nor a tour of that name");
	if (path && !store_read(path, &text, &err)) {
		if (tour_parse(tour, xbuf_text(&text), text.len, path, &problems))
			status = EXIT_PRICED;
		else
			batch_say_problems(&problems, SS_ERROR);
	} else {
		status = batch_fail(batch, err.status, NULL, &err);
	}
	ss_problems_release(&problems);
	xbuf_release(&text);
	free(path);
	roots_release(&roots);
	return status;
}

int tour_open(struct tour *tour, struct session *session, const struct arguments *arguments)
{
	struct session_request request = arguments->request;
	struct arguments shown = *arguments;
	struct batch batch = { .arguments = &shown, .out = stdout };
	struct ss_error err = { 0 };
	enum ss_status rc;
	int status;

	*session = (struct session){ 0 };
	status = read_tour(tour, &batch, arguments->names[0]);
	if (status)
		return status;
	request.scenario = tour_scenario(tour);
	rc = session_open(session, &request, &err);
	if (!rc || rc == SS_EREFUSED)
		return EXIT_PRICED;
	status = batch_fail(&batch, rc, &session->problems, &err);
	tour_release(tour);
	return status;
}

static int say_passed(struct batch *batch, const struct tour *tour)
{
	struct xbuf line = { 0 };
	int status;

	xbuf_printf(&line, "%s: %zu steps, all as expected\n", batch->arguments->names[0],
		    tour->count);
	shown_buffer(&line, SHOWN_LINES);
	status = batch_write(batch, &line);
	xbuf_release(&line);
	return status;
}

int run_tour(struct batch *batch)
{
	struct tour tour = { 0 };
	struct session session;
	struct ss_problems failures = { 0 };
	struct app app;
	size_t count;
	int status = tour_open(&tour, &session, batch->arguments);

	if (status) {
		session_release(&session);
		return status;
	}
	app_init_session(&app, &session);
	app_refresh(&app, APP_PRICE);
	count = tour_check(&app, &tour, &tour_json_figures, batch->arguments->names[0], &failures);
	batch_say_problems(&failures, SS_ERROR);
	if (!count && !batch->arguments->is_quiet)
		status = say_passed(batch, &tour);
	ss_problems_release(&failures);
	app_release(&app);
	tour_release(&tour);
	session_release(&session);
	return count ? EXIT_REFUSED : status;
}
