/*
 * The `:` line: one table of commands, their help and how they complete. An
 * action's name is a command too.
 */
#ifndef APP_COLON_H
#define APP_COLON_H

#include "app/app.h"

/* id, name, arguments, help */
/* clang-format off */
#define COLON_LIST(X)                                                                     \
	X(SET,      "set",      "PATH VALUE|-FLAGS", "state a setting, or flags as vLLM takes them: -tp 8 --max-model-len 16k") \
	X(UNSET,    "unset",    "PATH",              "return a setting to unstated")             \
	X(BATCH,    "batch",    "SPEC",              "price this batch: 64x8k, 1x8192p, steady")  \
	X(COEF,     "coef",     "NAME [VALUE]",      "try a coefficient; without VALUE, no longer") \
	X(CORRECT,  "correct",  "NAME|all|none",     "price without a divergence")               \
	X(THRESHOLD, "threshold", "N",               "scheduled tokens from which a request is a prefill") \
	X(SMS,      "sm-budget", "N",                "SMs the step may use; 0: all")             \
	X(FIGURE,   "figure",   "NAME",              "lead with kernels, serial, no_overlap or overlap")  \
	X(FIT,      "fit",      "TOKENS",            "what fits of requests this long")          \
	X(TTFT,     "ttft",     "TOKENS",            "time to first token of a prompt this long") \
	X(SWEEP,    "sweep",    "FIELD VALUES",      "a curve over a field, batch or coefficient: tp 1,2,4,8") \
	X(SERIES,   "series",   "FIELD VALUES",      "one curve per value of a second field")    \
	X(LOAD,     "load",     "SPEC",              "serve this load: 1024/512@64, 1024/512@20/s, chatbot@8") \
	X(SLO,      "slo",      "[TERMS]",           "what users are promised: ttft=500ms,tpot=30ms") \
	X(PIN,      "pin",      "NAME",              "keep this configuration to compare")       \
	X(UNPIN,    "unpin",    "NAME",              "drop a configuration kept")                \
	X(SORT,     "sort",     "COLUMN",            "sort the list")                            \
	X(GOTO,     "goto",     "PANE",              "open a pane")                              \
	X(WALKTO,   "walkto",   "NAME",              "walk to an assumed entry")                 \
	X(OPTIONS,  "options",  "",                  "options of one's own, and where each came from") \
	X(POOL,     "pool",     "N",                 "show another pool")                        \
	X(OPEN,     "open",     "SCENARIO",          "open another scenario")                    \
	X(NEW,      "new",      "[MODEL [PART]]",    "make a scenario on the fewest GPUs that hold it") \
	X(IMPORT,   "import",   "FILE",              "import a launch command, a start-up log or YAML; pasting offers it too") \
	X(SAVE,     "save",     "FILE",              "save the scenario")                        \
	X(EXPORT,   "export",   "FILE",              "write the pane: .csv .md .json .txt; the screen: .html .svg") \
	X(RECORD,   "record",   "FILE",              "record what is done as a tour; without FILE, end it") \
	X(SAY,      "say",      "TEXT",              "add a caption to the tour being recorded")  \
	X(HELP,     "help",     "[TOPIC]",           "help for a command, a setting or a coefficient")
/* clang-format on */

enum colon_id {
#define COLON_ENUM(id, ...) COLON_##id,
	COLON_LIST(COLON_ENUM)
#undef COLON_ENUM
		COLON_COUNT
};

struct colon_row {
	const char *name, *arguments, *help;
};

/** Borrowed. */
const struct colon_row *colon_row(enum colon_id id);

/** Run a line; what it asks of the loop. A mistake is said in app->message. */
unsigned colon_run(struct app *app, const char *line);

/**
 * The words that could stand at line[start .. end).
 *
 * @return NULL-ended, array and words for the caller to free(); NULL when there are none.
 */
char **colon_complete(const struct app *app, const char *line, size_t start, size_t end);

/** Does a file's name stand at line[start ..]? The caller completes it then. */
bool colon_is_path(const char *line, size_t start);

/** Words that complete the value of a field, as above. */
char **colon_complete_value(const struct app *app, enum ss_field_id field, const char *line,
			    size_t start, size_t end);

#endif
