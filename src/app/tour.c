#include "app/tour.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "app/colon.h"
#include "text/number.h"
#include "app/walk.h"

static const struct {
	const char *word, *argument;
} kinds[TOUR_STEP_COUNT] = {
#define TOUR_ROW(id, word, argument) [TOUR_##id] = { word, argument },
	TOUR_STEPS(TOUR_ROW)
#undef TOUR_ROW
};

/* -- reading -------------------------------------------------------------------------- */

void tour_release(struct tour *tour)
{
	for (size_t i = 0; i < tour->count; i++)
		free(tour->steps[i].text);
	free(tour->steps);
	*tour = (struct tour){ 0 };
}

static const char *const operators[] = { "<=", ">=", "!=", "==", "<", ">", "=" };
#define OPERATOR_COUNT (sizeof(operators) / sizeof(*operators))

/* An expectation taken apart. */
struct expectation {
	bool is_refused; /* `what` is then a code */
	enum { TEXT_NONE, TEXT_IS, TEXT_HAS, TEXT_SHOWN } text;
	char wanted[160]; /* of a text */
	char what[128];
	const char *op;
	double number, within; /* within: a share; 0 for none */
};

static bool read_expectation(struct expectation *out, const char *text)
{
	char op[8] = "", number[64] = "", within[16] = "", share[32] = "";
	int fields = 0;

	*out = (struct expectation){ 0 };
	if (sscanf(text, "refused %127s", out->what) == 1) {
		out->is_refused = true;
		return true;
	}
	if (sscanf(text, "shows %159[^\n]", out->wanted) == 1) {
		out->text = TEXT_SHOWN;
		return true;
	}
	if (sscanf(text, "%127s %7s %159[^\n]", out->what, op, out->wanted) == 3 &&
	    (!strcmp(op, "is") || !strcmp(op, "has"))) {
		out->text = op[0] == 'i' ? TEXT_IS : TEXT_HAS;
		return true;
	}
	fields = sscanf(text, "%127s %7s %63s %15s %31s", out->what, op, number, within, share);
	if (fields != 3 && fields != 5)
		return false;
	for (size_t i = 0; i < OPERATOR_COUNT; i++) {
		if (!strcmp(op, operators[i]))
			out->op = operators[i];
	}
	if (!out->op || number_parse(&out->number, number) != NUMBER_OK)
		return false;
	if (fields == 3)
		return true;
	return !strcmp(within, "within") &&
	       number_parse_unit(&out->within, share, "%") == NUMBER_OK && out->within >= 0;
}

static void read_line(struct tour *out, const char *line, size_t len, int number, const char *file,
		      struct ss_problems *problems)
{
	char where[300];
	size_t word = 0;
	int kind = 0;
	struct expectation expectation;
	struct tour_step step = { .line = number };

	while (len && isspace((unsigned char)line[len - 1]))
		len--;
	while (len && isspace((unsigned char)*line)) {
		line++;
		len--;
	}
	if (!len || *line == '#')
		return;
	snprintf(where, sizeof(where), "%.280s:%d", file, number);
	while (word < len && !isspace((unsigned char)line[word]))
		word++;
	while (kind < TOUR_STEP_COUNT &&
	       (strlen(kinds[kind].word) != word || strncmp(kinds[kind].word, line, word) != 0))
		kind++;
	if (kind == TOUR_STEP_COUNT) {
		ss_problems_add(problems, SS_ERROR, "syntax", where, "",
				"no step is called \"%.*s\"", (int)word, line);
		return;
	}
	step.kind = (enum tour_step_kind)kind;
	while (word < len && isspace((unsigned char)line[word]))
		word++;
	step.text = xmalloc(len - word + 1);
	memcpy(step.text, line + word, len - word);
	step.text[len - word] = '\0';
	if ((*kinds[kind].argument != '\0') != (*step.text != '\0') ||
	    (step.kind == TOUR_EXPECT && !read_expectation(&expectation, step.text))) {
		ss_problems_add(problems, SS_ERROR, "syntax", where, "", "%s takes %s, got \"%s\"",
				kinds[kind].word,
				*kinds[kind].argument ? kinds[kind].argument : "nothing",
				step.text);
		free(step.text);
		return;
	}
	out->steps = xrealloc(out->steps, out->count + 1, sizeof(*out->steps));
	out->steps[out->count++] = step;
}

bool tour_parse(struct tour *out, const char *text, size_t len, const char *file,
		struct ss_problems *problems)
{
	size_t errors = ss_problems_count(problems, SS_ERROR);
	int number = 1;

	*out = (struct tour){ 0 };
	while (len) {
		const char *end = memchr(text, '\n', len);
		size_t line = end ? (size_t)(end - text) : len;

		read_line(out, text, line, number++, file, problems);
		line += end != NULL;
		text += line;
		len -= line;
	}
	if (ss_problems_count(problems, SS_ERROR) == errors)
		return true;
	tour_release(out);
	return false;
}

const char *tour_scenario(const struct tour *tour)
{
	for (size_t i = 0; i < tour->count; i++) {
		if (tour->steps[i].kind == TOUR_OPEN)
			return tour->steps[i].text;
	}
	return NULL;
}

/* -- expectations --------------------------------------------------------------------- */

static bool holds(const struct expectation *e, double found)
{
	double slack = fabs(e->number) * e->within;

	switch (e->op[0]) {
	case '<':
		return e->op[1] ? found <= e->number + slack : found < e->number + slack;
	case '>':
		return e->op[1] ? found >= e->number - slack : found > e->number - slack;
	case '!':
		return fabs(found - e->number) > slack;
	default:
		/* Equal to the last digit when no room is given. */
		return fabs(found - e->number) <= slack;
	}
}

static bool is_refused_with(const struct app *app, const char *code)
{
	for (size_t i = 0; app->is_refused && i < app->problems.count; i++) {
		if (app->problems.items[i].severity != SS_WARNING &&
		    !strcmp(app->problems.items[i].code, code))
			return true;
	}
	return false;
}

/* Is this in a cell of what the pane with the focus lists? */
static bool is_shown(const struct app *app, const char *text)
{
	const struct table *table = &app->tables[app_focus(app)];

	for (size_t i = 0; i < table->shown; i++)
		for (int c = 0; c < table->column_count; c++)
			if (strstr(table_text(table, i, c), text))
				return true;
	return false;
}

static void check_text(const struct app *app, const struct tour_figures *figures,
		       const struct expectation *e, char *found, size_t size)
{
	char text[640];

	if (e->text == TEXT_SHOWN) {
		if (!is_shown(app, e->wanted))
			snprintf(found, size, "the pane has no such text");
	} else if (!figures->text ||
		   !figures->text(figures->context, app, e->what, text, sizeof(text))) {
		snprintf(found, size, "there is no such figure");
	} else if (e->text == TEXT_IS ? strcmp(text, e->wanted) != 0 : !strstr(text, e->wanted)) {
		snprintf(found, size, "it is \"%.200s\"", text);
	}
}

/* "" when it is met, else what was found instead. */
static void check_expectation(const struct app *app, const struct tour_figures *figures,
			      const char *text, char *found, size_t size)
{
	struct expectation e;
	double number = 0;

	found[0] = '\0';
	if (!read_expectation(&e, text)) {
		snprintf(found, size, "it does not read");
	} else if (e.is_refused) {
		if (!is_refused_with(app, e.what))
			snprintf(found, size,
				 app->is_refused ? "it is refused, with %s" : "it is priced",
				 app->is_refused ? app_refusal(app)->code : "");
	} else if (app->is_refused) {
		snprintf(found, size, "it is refused, with %s", app_refusal(app)->code);
	} else if (e.text != TEXT_NONE) {
		check_text(app, figures, &e, found, size);
	} else if (!figures->find || !figures->find(figures->context, app, e.what, &number)) {
		snprintf(found, size, "there is no such figure");
	} else if (!holds(&e, number)) {
		snprintf(found, size, "it is %s", number_plain(number).text);
	}
}

/* -- playing -------------------------------------------------------------------------- */

static unsigned run_step(struct app *app, const struct tour_step *step)
{
	char line[640];

	if (step->kind == TOUR_WALK)
		return walk_to(app, step->text);
	if (step->kind == TOUR_SET && step->text[strlen(step->text) - 1] == '=') {
		snprintf(line, sizeof(line), "unset %.*s", (int)strlen(step->text) - 1, step->text);
		return colon_run(app, line);
	}
	if (step->kind == TOUR_GOTO && app->walk) {
		walk_free(app->walk);
		app->walk = NULL;
	}
	snprintf(line, sizeof(line), "%s %s", kinds[step->kind].word, step->text);
	return colon_run(app, line);
}

/* One step: its caption, its check or its change. False: it went wrong, see `why`. */
static bool play_step(struct app *app, const struct tour_step *step,
		      const struct tour_figures *figures, char *why, size_t size)
{
	why[0] = '\0';
	switch (step->kind) {
	case TOUR_OPEN:
	case TOUR_SAY:
	case TOUR_PAUSE:
		return true;
	case TOUR_EXPECT:
		check_expectation(app, figures, step->text, why, size);
		return !why[0];
	case TOUR_SET:
	case TOUR_BATCH:
	case TOUR_COEF:
	case TOUR_CORRECT:
	case TOUR_FIGURE:
	case TOUR_GOTO:
	case TOUR_SORT:
	case TOUR_WALK:
	case TOUR_PIN:
	case TOUR_STEP_COUNT:
		break;
	}
	app->message[0] = '\0';
	app->is_message_error = false;
	app_refresh(app, run_step(app, step));
	if (app->message[0] && app->is_message_error)
		snprintf(why, size, "%s", app->message);
	return !why[0];
}

static bool is_stop(const struct tour_step *step)
{
	return step->kind == TOUR_SAY || step->kind == TOUR_PAUSE;
}

/* A caption is shown with what stands before the next one already done. */
static void advance(struct app *app, struct tour_player *player)
{
	bool has_said = false;
	char why[256];

	while (player->at < player->tour.count) {
		const struct tour_step *step = &player->tour.steps[player->at];

		if (is_stop(step) && has_said)
			break;
		player->at++;
		if (step->kind == TOUR_SAY)
			player->caption = step->text;
		has_said |= is_stop(step);
		if (!play_step(app, step, &player->figures, why, sizeof(why))) {
			player->failures += step->kind == TOUR_EXPECT;
			app_say(app, true, "line %d, %s %s: %s", step->line, kinds[step->kind].word,
				step->text, why);
			break;
		}
	}
}

static void remember(struct app *app, struct tour_player *player)
{
	player->stops = xrealloc(player->stops, player->stop_count + 1, sizeof(*player->stops));
	player->stops[player->stop_count++] = (struct tour_stop){
		.step = player->at,
		.position = app->history.position,
		.pane = app->pane,
		.is_on_deployment = app->is_on_deployment,
		.caption = player->caption,
	};
}

static unsigned go_back(struct app *app, struct tour_player *player)
{
	const struct tour_stop *stop = NULL;

	if (!player->stop_count) {
		app_say(app, false, "this is the start");
		return APP_REDRAW;
	}
	stop = &player->stops[--player->stop_count];
	while (app->history.position > stop->position && history_undo(&app->history, &app->draft))
		;
	while (app->history.position < stop->position && history_redo(&app->history, &app->draft))
		;
	player->at = stop->step;
	player->caption = stop->caption;
	walk_free(app->walk);
	app->walk = NULL;
	(void)app_goto(app, stop->pane);
	app->is_on_deployment = stop->is_on_deployment;
	return APP_REDRAW | APP_PRICE;
}

void tour_start(struct app *app, struct tour *tour, const struct tour_figures *figures)
{
	tour_player_free(app->tour);
	app->tour = xcalloc(1, sizeof(*app->tour));
	app->tour->tour = *tour;
	app->tour->figures = *figures;
	*tour = (struct tour){ 0 };
	advance(app, app->tour);
}

void tour_player_free(struct tour_player *player)
{
	if (!player)
		return;
	tour_release(&player->tour);
	free(player->stops);
	free(player);
}

unsigned tour_apply(struct app *app, enum action_id action)
{
	struct tour_player *player = app->tour;

	if (action == ACT_TOUR_PAUSE) {
		player->is_free = true;
		app_say(app, false, "the tour waits: T returns to it, q leaves");
	} else if (action == ACT_TOUR_RETURN) {
		player->is_free = false;
	} else if (action == ACT_TOUR_BACK) {
		return go_back(app, player);
	} else if (player->at >= player->tour.count) {
		app_say(app, false, "the tour ends here; q explores");
	} else {
		remember(app, player);
		advance(app, player);
	}
	return APP_REDRAW;
}

size_t tour_check(struct app *app, const struct tour *tour, const struct tour_figures *figures,
		  const char *file, struct ss_problems *failures)
{
	size_t count = 0;

	for (size_t i = 0; i < tour->count; i++) {
		const struct tour_step *step = &tour->steps[i];
		char where[300], why[256];

		if (play_step(app, step, figures, why, sizeof(why)))
			continue;
		count++;
		snprintf(where, sizeof(where), "%.280s:%d", file, step->line);
		ss_problems_add(failures, SS_ERROR, "expect", where, "", "%s %s: %s",
				kinds[step->kind].word, step->text, why);
	}
	return count;
}
