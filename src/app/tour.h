/*
 * Tours: what is shown to an audience, each line a step.
 *
 *	# a comment
 *	open deepseek-v3-h200-fp8-tp8
 *	say Eight GPUs, one engine.
 *	set tp=4
 *	expect price.serial_s > 0.03
 *
 * Besides these: batch SPEC, coef NAME VALUE, correct NAME, figure NAME, walk NAME,
 * goto PANE, pin NAME, sort COLUMN, pause, expect refused CODE, expect FIGURE is TEXT,
 * expect FIGURE has TEXT, expect shows TEXT (in a cell of the pane with the focus). A step
 * shows once Space is pressed; what changes runs up to the next say or pause.
 */
#ifndef APP_TOUR_H
#define APP_TOUR_H

#include "app/app.h"

/* id, word, what follows it ("" for nothing) */
/* clang-format off */
#define TOUR_STEPS(X)                                   \
	X(OPEN,    "open",    "SCENARIO")                  \
	X(SAY,     "say",     "TEXT")                      \
	X(SET,     "set",     "PATH=VALUE")                \
	X(BATCH,   "batch",   "SPEC")                      \
	X(COEF,    "coef",    "NAME [VALUE]")              \
	X(CORRECT, "correct", "NAME|all|none")             \
	X(FIGURE,  "figure",  "NAME")                      \
	X(GOTO,    "goto",    "PANE")                      \
	X(SORT,    "sort",    "COLUMN")                    \
	X(WALK,    "walk",    "NAME")                      \
	X(PIN,     "pin",     "NAME")                      \
	X(PAUSE,   "pause",   "")                          \
	X(EXPECT,  "expect",  "FIGURE OP NUMBER [within N%], FIGURE is|has TEXT, shows TEXT, or refused CODE")
/* clang-format on */

enum tour_step_kind {
#define TOUR_ENUM(id, ...) TOUR_##id,
	TOUR_STEPS(TOUR_ENUM)
#undef TOUR_ENUM
		TOUR_STEP_COUNT
};

struct tour_step {
	enum tour_step_kind kind;
	char *text; /**< what follows the word; owned */
	int line;   /**< of the file, from 1 */
};

struct tour {
	struct tour_step *steps;
	size_t count;
};

/** Where the player was when a stop was reached. */
struct tour_stop {
	size_t step, position; /**< next step; edits in force */
	enum pane_id pane;
	bool is_on_deployment;
	const char *caption;
};

/**
 * A figure of the JSON contract for the present state, by its path.
 *
 * @return false when it has no such number.
 */
struct tour_figures {
	bool (*find)(void *context, const struct app *app, const char *path, double *out);
	/** Any value as text, numbers as they are printed; false when nothing is there. */
	bool (*text)(void *context, const struct app *app, const char *path, char *out,
		     size_t size);
	void *context;
};

struct tour_player {
	struct tour tour;
	struct tour_figures figures;
	size_t at;           /**< step that comes next */
	bool is_free;        /**< the user explores; T returns */
	const char *caption; /**< of the last say; borrowed from its step */
	struct tour_stop *stops;
	size_t stop_count;
	size_t failures; /**< expectations not met so far */
};

void tour_release(struct tour *tour);

/** Read a script; every mistake is in `problems`. */
bool tour_parse(struct tour *out, const char *text, size_t len, const char *file,
		struct ss_problems *problems);

/** The scenario it opens with, or NULL for the default. Borrowed. */
const char *tour_scenario(const struct tour *tour);

/** Play in the explorer; takes the tour over. Shows its first stop. */
void tour_start(struct app *app, struct tour *tour, const struct tour_figures *figures);
void tour_player_free(struct tour_player *player);

/** Space, Backspace, q, T. */
unsigned tour_apply(struct app *app, enum action_id action);

/**
 * Run a whole tour without a screen.
 *
 * @param failures one problem for each expectation not met and each step that failed.
 * @return how many there are.
 */
size_t tour_check(struct app *app, const struct tour *tour, const struct tour_figures *figures,
		  const char *file, struct ss_problems *failures);

/* -- recording ------------------------------------------------------------------------ */

struct tour_record;
/** NULL is fine. */
void tour_record_free(struct tour_record *record);
/** Where it goes and what it holds so far; borrowed. */
const char *tour_record_file(const struct tour_record *record);
const char *tour_record_text(const struct tour_record *record);
/** Go on with one that was kept, from the state as it is. */
void tour_record_restore(struct app *app, const char *file, const char *text);
/** Note what differs from the last time; does nothing while nothing is recorded. */
void tour_record_follow(struct app *app);
/** Add a caption to what is recorded. */
unsigned tour_record_say(struct app *app, const char *text);

#endif
