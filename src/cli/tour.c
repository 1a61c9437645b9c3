#include "cli/tour.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "text/shown.h"
#include "case/findings.h"
#include "app/store.h"
#include "report/json_price.h"
#include "report/sections.h"
#include "cli/run.h"

static const struct {
	const char *name;
	cJSON *(*make)(const struct findings *f);
} sections[] = {
#define X(name) { #name, json_##name },
	SECTION_LIST(X)
#undef X
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

/** The JSON of the section a path starts in; NULL for none. `rest` is what follows in it. */
static cJSON *section_of(const struct app *app, const char *path, const char **rest)
{
	size_t len = strcspn(path, "."), s = 0;
	struct ss_whatif *whatifs;
	struct session session;
	struct findings findings;
	cJSON *root = NULL;

	while (s < SECTION_COUNT &&
	       (strlen(sections[s].name) != len || strncmp(sections[s].name, path, len) != 0))
		s++;
	if (s == SECTION_COUNT || !app->quote)
		return NULL;
	whatifs = xcalloc(app->draft.whatif_count, sizeof(*whatifs));
	app_borrow_session(app, &session, whatifs);
	if (!findings_new(&findings, &session) &&
	    (strcmp(sections[s].name, "validation") || !findings_validate(&findings)))
		root = sections[s].make(&findings);
	findings_release(&findings);
	ss_problems_release(&session.problems);
	free(whatifs);
	*rest = path[len] ? path + len + 1 : "";
	return root;
}

static bool find(void *context, const struct app *app, const char *path, double *out)
{
	const char *rest = "";
	cJSON *root = section_of(app, path, &rest);
	const cJSON *item = follow(root, rest);
	bool is_number = cJSON_IsNumber(item) || cJSON_IsBool(item);

	(void)context;
	if (is_number) {
		*out = cJSON_IsNumber(item) ? item->valuedouble : cJSON_IsTrue(item) ? 1 : 0;
	} else if (cJSON_IsRaw(item) && item->valuestring) {
		/* Numbers are printed ahead, at full precision. */
		*out = strtod(item->valuestring, NULL);
		is_number = isfinite(*out);
	}
	cJSON_Delete(root);
	return is_number;
}

static bool find_text(void *context, const struct app *app, const char *path, char *out,
		      size_t size)
{
	const char *rest = "";
	cJSON *root = section_of(app, path, &rest);
	const cJSON *item = follow(root, rest);
	char *printed = item && !cJSON_IsString(item) ? cJSON_PrintUnformatted(item) : NULL;
	const char *text = cJSON_IsString(item) ? item->valuestring : printed;

	(void)context;
	if (text)
		(void)snprintf(out, size, "%s", text);
	free(printed);
	cJSON_Delete(root);
	return text != NULL;
}

const struct tour_figures tour_json_figures = { .find = find, .text = find_text };

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
