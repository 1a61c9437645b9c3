/*
 * The one table of what a user can do. It feeds the key map, `?`, the `:`
 * names and their completion, and the manual page.
 */
#ifndef APP_ACTION_H
#define APP_ACTION_H

#include <stddef.h>

#include "app/key.h"

/** Where an action applies. What is open decides first, then ACTION_ANYWHERE. */
enum action_where {
	ACTION_ANYWHERE = 1 << 0,
	ACTION_DEPLOYMENT = 1 << 1,
	ACTION_PROVENANCE = 1 << 2,
	ACTION_STEP = 1 << 3,
	ACTION_MEMORY = 1 << 4,
	ACTION_BATCH = 1 << 5,
	ACTION_SWEEP = 1 << 6,
	ACTION_COMPARE = 1 << 7,
	ACTION_SERVE = 1 << 8,
	ACTION_WALK = 1 << 9,
	ACTION_REFUSED = 1 << 10,   /**< the box of a refusal is shown */
	ACTION_TOUR = 1 << 11,      /**< a tour has the screen */
	ACTION_TOUR_FREE = 1 << 12, /**< a tour waits while the user explores */
	ACTION_WHERE_END = 1 << 13,
};

/*
 * id, name, keys, where, brief, help. The name is what `:` takes; keys are
 * those of key_parse(), separated by blanks, and may be none; `brief` is what
 * a footer says beside the key.
 */
/* clang-format off */
#define ACTION_LIST(X)                                                                                                                              \
	X(ROW_DOWN,        "row-down",        "j <Down>",          ACTION_ANYWHERE,   "down",         "select the next row")                        \
	X(ROW_UP,          "row-up",          "k <Up>",            ACTION_ANYWHERE,   "up",           "select the row before")                      \
	X(GO_LEFT,         "left",            "h <Left>",          ACTION_ANYWHERE,   "left",         "move left: column, group or point")          \
	X(GO_RIGHT,        "right",           "l <Right>",         ACTION_ANYWHERE,   "right",        "move right: column, group or point")         \
	X(PAGE_DOWN,       "page-down",       "<PgDn> ^F",         ACTION_ANYWHERE,   "page",         "move down by a screen")                      \
	X(PAGE_UP,         "page-up",         "<PgUp> ^B",         ACTION_ANYWHERE,   "page back",    "move up by a screen")                        \
	X(FIRST,           "first",           "g <Home>",          ACTION_ANYWHERE,   "first",        "go to the first row")                        \
	X(LAST,            "last",            "G <End>",           ACTION_ANYWHERE,   "last",         "go to the last row")                         \
	X(PANE_NEXT,       "pane-next",       "<Tab>",             ACTION_ANYWHERE,   "pane",         "move to the next pane")                      \
	X(PANE_PREV,       "pane-prev",       "<S-Tab>",           ACTION_ANYWHERE,   "pane back",    "move to the pane before")                    \
	X(PANE_RESOLVED,   "resolved",        "1",                 ACTION_ANYWHERE,   "Resolved",     "what would run, and what was overridden")    \
	X(PANE_PROVENANCE, "provenance",      "2",                 ACTION_ANYWHERE,   "Provenance",   "every value and where it comes from")        \
	X(PANE_EVIDENCE,   "evidence",        "3",                 ACTION_ANYWHERE,   "Evidence",     "how much of the price was measured")         \
	X(PANE_STEP,       "step",            "4",                 ACTION_ANYWHERE,   "Step",         "the price by resource, layer and term")      \
	X(PANE_MEMORY,     "memory",          "5",                 ACTION_ANYWHERE,   "Memory",       "the GPU's memory and what fits")             \
	X(PANE_BATCH,      "batch",           "6",                 ACTION_ANYWHERE,   "Batch",        "the batch that is priced")                   \
	X(PANE_SWEEP,      "sweep",           "7",                 ACTION_ANYWHERE,   "Sweep",        "a figure over a range of settings")          \
	X(PANE_COMPARE,    "compare",         "8",                 ACTION_ANYWHERE,   "Compare",      "the baseline against now")                   \
	X(PANE_ENGINE,     "engine",          "9",                 ACTION_ANYWHERE,   "Engine",       "the engine's architecture reference")        \
	X(PANE_MODEL,      "model",           "0",                 ACTION_ANYWHERE,   "Model",        "the model's graph")                          \
	X(PANE_SERVE,      "serve",           "V",                 ACTION_ANYWHERE,   "Serve",        "a load played through the scheduler")        \
	X(ZOOM,            "zoom",            "z",                 ACTION_ANYWHERE,   "zoom",         "give the pane the screen, or take it back")  \
	X(VALUE_NEXT,      "value-next",      "<Space>",           ACTION_ANYWHERE,   "next",         "take the next allowed value, or toggle")     \
	X(VALUE_UP,        "value-up",        "+ =",               ACTION_ANYWHERE,   "more",         "step the value up")                          \
	X(VALUE_DOWN,      "value-down",      "-",                 ACTION_ANYWHERE,   "less",         "step the value down")                        \
	X(EDIT,            "edit",            "e",                 ACTION_ANYWHERE,   "edit",         "type the value")                             \
	X(UNSTATE,         "unstate",         "<Del>",             ACTION_ANYWHERE,   "unstate",      "return the setting to unstated")             \
	X(DETAIL,          "detail",          "<Enter>",           ACTION_ANYWHERE,   "open",         "open what is selected")                      \
	X(BACK,            "back",            "<Esc> <Backspace>", ACTION_ANYWHERE,   "back",         "close what is open; never quits")            \
	X(SEARCH,          "search",          "/",                 ACTION_ANYWHERE,   "search",       "search the list")                            \
	X(SEARCH_NEXT,     "search-next",     "n",                 ACTION_ANYWHERE,   "next found",   "next row found")                             \
	X(SEARCH_PREV,     "search-prev",     "N",                 ACTION_ANYWHERE,   "found before", "row found before")                           \
	X(FILTER,          "filter",          "f",                 ACTION_ANYWHERE,   "filter",       "show only the rows that match")              \
	X(SORT,            "sort",            "s",                 ACTION_ANYWHERE,   "sort",         "sort by the next column")                    \
	X(SORT_REVERSE,    "sort-reverse",    "I",                 ACTION_ANYWHERE,   "reverse",      "turn the order of the rows round")           \
	X(MARK,            "mark",            "m",                 ACTION_ANYWHERE,   "mark",         "mark the row")                               \
	X(UNDO,            "undo",            "u",                 ACTION_ANYWHERE,   "undo",         "take back the last edit")                    \
	X(REDO,            "redo",            "^R",                ACTION_ANYWHERE,   "redo",         "make the edit taken back again")             \
	X(PIN,             "pin-baseline",    "b",                 ACTION_ANYWHERE,   "pin",          "pin this as the baseline")                   \
	X(TO_BASELINE,     "to-baseline",     "B",                 ACTION_ANYWHERE,   "baseline",     "go back to the baseline")                    \
	X(POOL_PREV,       "pool-prev",       "{",                 ACTION_ANYWHERE,   "pool before",  "the pool before")                            \
	X(POOL_NEXT,       "pool-next",       "}",                 ACTION_ANYWHERE,   "next pool",    "the next pool")                              \
	X(LEAD_FIGURE,     "lead-figure",     "F",                 ACTION_ANYWHERE,   "figure",       "lead with another figure of the step")       \
	X(REFUSAL,         "refusal",         "!",                 ACTION_ANYWHERE,   "refusal",      "open the box of the refusal again")          \
	X(WALK,            "walk",            "w",                 ACTION_ANYWHERE,   "walk",         "walk the assumed entries one by one")        \
	X(OPEN,            "open",            "o",                 ACTION_ANYWHERE,   "scenario",     "open another scenario")                      \
	X(NEW,             "new-scenario",    "^N",                ACTION_ANYWHERE,   "new",          "make a scenario: choose a model, then a part")       \
	X(SAVE_AS,         "save-as",         "S",                 ACTION_ANYWHERE,   "save",         "save the scenario to a file")                \
	X(RELOAD,          "reload",          "r",                 ACTION_ANYWHERE,   "reload",       "read the documents again")                   \
	X(EXPORT,          "export-pane",     "x",                 ACTION_ANYWHERE,   "export",       "write the pane to a file")                   \
	X(COPY_ROW,        "copy-row",        "y",                 ACTION_ANYWHERE,   "copy",         "copy the row to the clipboard")              \
	X(COPY_COMMAND,    "copy-command",    "Y",                 ACTION_ANYWHERE,   "as command",   "copy the state as a stepscope command")      \
	X(COMMAND,         "command",         ":",                 ACTION_ANYWHERE,   "cmd",          "type a command")                             \
	X(HELP,            "help",            "? <F1>",            ACTION_ANYWHERE,   "help",         "help for what is open")                      \
	X(REPAINT,         "repaint",         "^L",                ACTION_ANYWHERE,   "repaint",      "paint the screen again")                     \
	X(SUSPEND,         "suspend",         "^Z",                ACTION_ANYWHERE,   "suspend",      "suspend; fg returns")                        \
	X(QUIT,            "quit",            "q",                 ACTION_ANYWHERE,   "leave",        "close what is open, then leave")             \
	X(OWNER,           "owner",           "O",                 ACTION_DEPLOYMENT, "owner",        "go to what declares it in the Engine pane")  \
	X(MEMORY_FIELD,    "memory-field",    "<Tab>",             ACTION_MEMORY,     "field",        "go to the context length, and on")           \
	X(GROUP_ADD,       "group-add",       "a",                 ACTION_BATCH,      "add",          "add a group of requests")                    \
	X(GROUP_DELETE,    "group-delete",    "d",                 ACTION_BATCH,      "delete",       "delete the group")                           \
	X(GROUP_COPY,      "group-copy",      "D",                 ACTION_BATCH,      "duplicate",    "duplicate the group")                        \
	X(BATCH_PRESET,    "batch-preset",    "p",                 ACTION_BATCH,      "preset",       "take the next ready-made batch")             \
	X(SWEEP_FIGURE,    "sweep-figure",    "t",                 ACTION_SWEEP,      "figure",       "draw the next figure")                       \
	X(SWEEP_FIELD,     "sweep-field",     "v",                 ACTION_SWEEP,      "field",        "vary another field")                         \
	X(SWEEP_SERIES,    "sweep-series",    "c",                 ACTION_SWEEP,      "series",       "one curve per value of another field")       \
	X(SWEEP_LOG,       "sweep-log",       "L",                 ACTION_SWEEP,      "log",          "logarithmic or linear axes")                 \
	X(SWEEP_PARETO,    "sweep-pareto",    "p",                 ACTION_SWEEP,      "Pareto",       "tok/s/GPU against ITL, and back")            \
	X(SWEEP_UNFIT,     "sweep-unfit",     "a",                 ACTION_SWEEP,      "unfit too",    "draw what does not fit too, or not")         \
	X(SERVE_FIGURE,    "serve-figure",    "t",                 ACTION_SERVE,      "figure",       "draw the next latency, then the timeline")   \
	X(SERVE_VARY,      "serve-vary",      "v",                 ACTION_SERVE,      "vary",         "latency over concurrency, or over rate")     \
	X(SERVE_FRONTIER,  "serve-frontier",  "p",                 ACTION_SERVE,      "frontier",     "tok/s/GPU against tok/s/user over widths")   \
	X(WALK_NEXT,       "walk-next",       "]",                 ACTION_WALK,       "next",         "next assumed entry")                         \
	X(WALK_PREV,       "walk-prev",       "[",                 ACTION_WALK,       "back",         "assumed entry before")                       \
	X(WALK_REST,       "walk-rest",       "<Tab>",             ACTION_WALK,       "the rest",     "show the entries that move little, or not")  \
	X(WALK_ACCEPT,     "walk-accept",     "a",                 ACTION_WALK,       "accept",       "accept the value as reviewed")               \
	X(WALK_TRY,        "walk-try",        "t",                 ACTION_WALK,       "try value",    "price with another value")                   \
	X(WALK_STATE,      "walk-state",      "s",                 ACTION_WALK,       "state it",     "state the value in the deployment")          \
	X(WALK_NOTE,       "walk-note",       "'",                 ACTION_WALK,       "note",         "write a note on the entry")                  \
	X(WALK_EXPORT,     "walk-export",     "E",                 ACTION_WALK,       "export audit", "export the signed audit")                    \
	X(FIX_A,           "fix-a",           "a",                 ACTION_REFUSED,    "take",         "take the first way out")                     \
	X(FIX_B,           "fix-b",           "b",                 ACTION_REFUSED,    "take",         "take the second way out")                    \
	X(FIX_C,           "fix-c",           "c",                 ACTION_REFUSED,    "take",         "take the third way out")                     \
	X(FIX_D,           "fix-d",           "d",                 ACTION_REFUSED,    "take",         "take the fourth way out")                    \
	X(TOUR_NEXT,       "tour-next",       "<Space>",           ACTION_TOUR,       "next",         "next step of the tour")                      \
	X(TOUR_BACK,       "tour-back",       "<Backspace>",       ACTION_TOUR,       "back",         "go back a step")                             \
	X(TOUR_PAUSE,      "tour-pause",      "q",                 ACTION_TOUR,       "pause",        "pause the tour and explore")                 \
	X(TOUR_RETURN,     "tour-return",     "T",                 ACTION_TOUR_FREE,  "tour",         "return to the tour")

enum action_id {
#define ACTION_ENUM(id, name, keys, where, brief, help) ACT_##id,
	ACTION_LIST(ACTION_ENUM)
#undef ACTION_ENUM
	ACT_COUNT,
	ACT_NONE = ACT_COUNT, /**< no action */
};
/* clang-format on */

struct action_row {
	const char *name;
	const char *keys;
	unsigned where;
	const char *brief;
	const char *help;
};

/** One row; borrowed. `id` is below ACT_COUNT. */
const struct action_row *action_row(enum action_id id);

/**
 * What a key does. The contexts are tried from the highest bit down, so that
 * a mode shadows its pane and both shadow ACTION_ANYWHERE.
 *
 * @param where contexts that are open now, of enum action_where.
 */
enum action_id action_for_key(struct key key, unsigned where);

/** By name; ACT_NONE when there is none. */
enum action_id action_by_name(const char *name);

/** The first key of an action as text, "" when it has none. Returns `out`. */
const char *action_key_name(enum action_id id, char *out, size_t size);

/**
 * The keys of a footer: "Spc next  e edit  u undo". Actions are written in
 * order as long as they fit in `cols` columns whole.
 *
 * @param actions ended by ACT_NONE.
 * @return out.
 */
const char *action_footer(const enum action_id *actions, int cols, char *out, size_t size);

/** The name of a context, as help and the manual page head it. */
const char *action_where_name(enum action_where where);

#endif
