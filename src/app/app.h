/*
 * The explorer's state and what keys do to it. No curses, clock or files: what
 * needs those is asked of the caller through the flags returned.
 */
#ifndef APP_APP_H
#define APP_APP_H

#include "app/own_options.h"
#include "app/action.h"
#include "text/xbuf.h"
#include "app/choices.h"
#include "case/draft.h"
#include "case/edit.h"
#include "app/key.h"
#include "app/pane.h"
#include "case/quote.h"
#include "case/validated.h"
#include "case/session.h"
#include "app/stamp.h"
#include "app/table.h"
#include "stepscope/review.h"

/** What a change asks of the loop. */
enum app_ask {
	APP_REDRAW = 1 << 0,
	APP_PRICE = 1 << 1,  /**< call app_refresh() before painting */
	APP_PROMPT = 1 << 2, /**< ask for text: app->prompt says what */
	APP_QUIT = 1 << 3,
	APP_SUSPEND = 1 << 4,
	APP_REPAINT = 1 << 5,  /**< paint every cell */
	APP_COPY = 1 << 6,     /**< app->clipboard to the terminal's clipboard */
	APP_OPEN = 1 << 7,     /**< list scenarios in a picker */
	APP_LOAD = 1 << 8,     /**< open the scenario named app->wanted */
	APP_RELOAD = 1 << 9,   /**< read the documents again */
	APP_SAVE = 1 << 10,    /**< write the scenario to app->wanted */
	APP_EXPORT = 1 << 11,  /**< write app->clipboard to the file app->wanted */
	APP_RECOVER = 1 << 12, /**< take over the session kept from a crash */
	APP_FORGET = 1 << 13,  /**< drop the session kept from a crash */
	APP_IMPORT = 1 << 14,  /**< bring in the file app->wanted, see bring.h */
};

/** What the prompt is for. */
enum app_prompt_kind {
	PROMPT_NONE,
	PROMPT_COMMAND,
	PROMPT_VALUE, /**< of the field `prompt.field` */
	PROMPT_SEARCH,
	PROMPT_FILTER,
	PROMPT_SAVE,
	PROMPT_EXPORT,
	PROMPT_WHATIF, /**< value of the coefficient `prompt.name` */
	PROMPT_GROUP,  /**< text of the group `prompt.row` of the batch */
	PROMPT_TOKENS, /**< context length of "what fits" */
	PROMPT_SWEEP,  /**< field and values of the sweep */
	PROMPT_SERIES, /**< field and values of its series */
	PROMPT_TREE,   /**< of the setting `prompt.name` of the engine's own tree */
	PROMPT_NOTE,   /**< on the entry `prompt.name` of the walk */
	PROMPT_LOAD,   /**< of the Serve pane */
};

struct app_prompt {
	enum app_prompt_kind kind;
	char label[64];
	char initial[512];
	enum ss_field_id field;
	int row;
	char name[256];
	bool is_listed;  /**< only a value that is offered is taken */
	int selected;    /**< row selected as it was opened */
	char filter[64]; /**< filter of the list then */
};

/** What lies over the panes. */
enum app_overlay {
	OVERLAY_NONE,
	OVERLAY_HELP,
	OVERLAY_DETAIL,
	OVERLAY_CHOOSER,
	OVERLAY_CONFIRM,
	OVERLAY_OFFER
};

/** What a yes to OVERLAY_CONFIRM does. */
enum app_question {
	QUESTION_QUIT,
	QUESTION_OVERWRITE,
	QUESTION_OPEN,
	QUESTION_IMPORT,
	QUESTION_RECOVER,
	QUESTION_RELOAD, /**< k keeps the edits over the file, d drops them */
};

#define APP_MARKS 64

/** Where a list stands, and what of it is shown. */
struct app_list {
	int selected, count;
	char filter[64];
	int sort;   /**< column; -1: as made */
	int column; /**< cell the keys change, where a pane has such */
	bool is_descending;
	int marked[APP_MARKS]; /**< ids of marked rows */
	int marked_count;
	unsigned long made; /**< app.prices when its table was made; 0: never */
};

/** A configuration kept for comparison. */
struct app_pin {
	char name[64];
	struct draft draft;
	size_t pool;
	struct quote *quote;
};

#define APP_SLOTS 3

/** State of the walk over the assumed entries, see walk.h. */
struct walk;
/** State of the sweep pane, see sweep.h. */
struct sweep;
/** State of the serve pane, see serve.h. */
struct serve_view;
/** What :record has written so far, see tour.h. */
struct tour_record;
struct tour_player;
/** A list to choose from, see picker.h. */
struct picker;

struct app {
	struct ss_registry *registry;    /**< borrowed */
	struct draft draft, opened;      /**< now, and as it was opened */
	struct draft source;             /**< as its file, or the words it was made of, has it */
	struct ss_review *review;        /**< never NULL; edits of it are in the history */
	struct ss_review *source_review; /**< as its file has it; never NULL */
	struct ss_workload workload;     /**< its batch, for any pool; none: the user stated one */
	struct history history;
	size_t pool;
	enum ss_figure figure;

	struct quote
		*quote; /**< of the draft, or the last valid one when it is refused; may be NULL */
	bool is_refused;
	unsigned long prices;        /**< how often it was priced */
	struct ss_problems problems; /**< refusals and warnings of the draft as it is */
	struct quote_basis *basis;

	struct app_pin *pins; /**< the first is the baseline */
	size_t pin_count;

	bool is_on_deployment;         /**< has the focus */
	enum pane_id pane;             /**< the numbered pane with the focus, or that last had it */
	enum pane_id slots[APP_SLOTS]; /**< numbered panes shown, left to right */
	int slot_count, slot_used[APP_SLOTS], slot_clock;
	bool is_zoomed;
	int page_rows;     /**< rows a screenful moves; the loop sets it after drawing */
	int memory_top;    /**< how far the Memory pane scrolls; set likewise */
	int overlay_lines; /**< lines of the help or detail shown; set likewise */
	struct app_list lists[PANE_ALL];
	struct table tables[PANE_ALL];
	char search[64];

	enum app_overlay overlay;
	int overlay_top;
	enum app_question question;
	unsigned pending;   /**< APP_SAVE or APP_EXPORT, while QUESTION_OVERWRITE is open */
	bool may_overwrite; /**< the answer was yes; the loop takes it back */
	struct xbuf detail;
	char detail_title[96];
	int detail_term;             /**< term of the Step pane whose law Enter opened; -1: none */
	int detail_at;               /**< 0: that law; else which of the entries it read, from 1 */
	int detail_entry;            /**< entry that OVERLAY_DETAIL shows; -1: none */
	struct ss_scenario *offered; /**< what OVERLAY_OFFER shows; NULL: nothing; owned */
	char offered_note[96];       /**< said when it opens */
	struct picker *picker;       /**< what OVERLAY_CHOOSER shows, owned; see picker.h */
	bool is_box_hidden;          /**< the box of a refusal was put away */

	char preview[200]; /**< effect of the selected field's next value */
	struct ss_kernel *scratch;
	struct choices_names names[SS_DOCUMENT_COUNT];

	int preset;              /**< ready-made batch that p takes next */
	int memory_field;        /**< row of "what fits" that keys act on, of rows_memory_field() */
	int64_t fit_tokens;      /**< context length of "what fits" */
	struct ss_spread spread; /**< of the band */
	double acceptance;       /**< share of drafted tokens accepted */
	int64_t ttft_tokens; /**< prompt length of the TTFT shown; 0: the context of the batch */
	struct walk *walk;   /**< NULL: not walking */
	struct sweep *sweep; /**< NULL: never swept */
	struct serve_view *serve;   /**< NULL: never served */
	struct validated validated; /**< published runs like the draft, see app_think() */

	struct app_prompt prompt;
	char message[256];
	bool is_message_error;
	struct own_options own;          /**< options of one's own */
	char own_file[512];              /**< file they are read from; "" when none can be */
	struct xbuf clipboard;           /**< text for APP_COPY or APP_EXPORT */
	char wanted[512];                /**< file or scenario for APP_LOAD, APP_SAVE, APP_EXPORT */
	char saved_as[512];              /**< file the draft belongs to; "" when none */
	struct store_stamp stamp;        /**< of that file as it was read or written */
	struct store_stamp review_stamp; /**< of the review's beside it */
	bool keeps_edits;                /**< a reload carries them over to the new file */
	char reviewer[64];               /**< who judges entries; its owner sets it, and ... */
	char now[24];                    /**< ... what time it is, `2026-11-30T23:50:15Z` */
	struct tour_record *record;      /**< NULL: nothing is recorded */
	struct tour_player *tour;        /**< NULL: no tour is played */
	/** Writes the audit that the report prints; of another layer, so its owner sets it. */
	void (*audit)(struct xbuf *out, const struct app *app);
};

struct app_inputs {
	struct ss_registry *registry; /**< borrowed */
	struct ss_scenario *scenario; /**< taken over; with the workload's batch, or ... */
	bool is_batch_stated;         /**< ... with one that holds for every pool */
	size_t pool;
	enum ss_figure figure;
	int64_t sm_budget;
};

/** Start. Prices nothing yet: app_refresh() does. */
void app_init(struct app *app, const struct app_inputs *inputs);
/** Start from a case that was opened; its registry is borrowed, the rest is copied. */
void app_init_session(struct app *app, const struct session *session);
void app_release(struct app *app);
/** Forget what is opened and all that was done to it; for who puts something in its place. */
void app_drop_state(struct app *app);

/** Put another scenario in place of everything; taken over. */
void app_open(struct app *app, struct ss_scenario *scenario);

/** Put the batch that a scenario's workload stands for in its place. */
void app_work_out_batch(struct ss_scenario *scenario, struct ss_registry *registry);

/** Contexts whose keys work now. */
unsigned app_where(const struct app *app);

/** What a key or an action does. Both return flags of enum app_ask. */
unsigned app_key(struct app *app, struct key key);
unsigned app_apply(struct app *app, enum action_id action);

/** The prompt holds this text now: a search or a filter shows what it would find. */
unsigned app_prompt_changed(struct app *app, const char *text);

/** The prompt ended with this text; NULL when it was given up. */
unsigned app_prompt_done(struct app *app, const char *text);

/** Price when `asked` says so, then make the lists anew. */
void app_refresh(struct app *app, unsigned asked);

/**
 * Work out some of what is shown but takes longer than a key may: how far each entry
 * moves the price, points of a sweep that open documents. For when no key waits.
 *
 * @return whether there is something new to paint.
 */
bool app_think(struct app *app);

/**
 * The priced state as a session that borrows it; nothing to release but its
 * problems. There must be a quote.
 *
 * @param whatifs room for those of the draft, kept as long as the session.
 */
void app_borrow_session(const struct app *app, struct session *out, struct ss_whatif *whatifs);

/** How many numbered panes the screen has room for. */
void app_set_panes(struct app *app, int count);

/** Show a numbered pane and give it the focus. */
unsigned app_goto(struct app *app, enum pane_id pane);

/** A line at the bottom until the next key. */
void app_say(struct app *app, bool is_error, const char *format, ...) SS_PRINTF(3, 4);

/** The pane with the focus, and its list. */
enum pane_id app_focus(const struct app *app);
struct app_list *app_list(struct app *app);

/** Field of the selected row of the deployment pane, or SS_FIELD_COUNT. */
enum ss_field_id app_field(const struct app *app);

/** Entry index of the selected row of Provenance or Evidence, or -1. */
int app_entry(const struct app *app);

/** The baseline, or NULL. */
const struct app_pin *app_baseline(const struct app *app);

/** Pin the present state under a name; index 0 replaces the baseline. */
void app_pin(struct app *app, const char *name, bool is_baseline);

struct choices_context app_choices(const struct app *app);

/** Context length of the batch's first group, what FITS counts requests of; 0 when empty. */
int64_t app_context(const struct app *app);
/** The figure that leads now: the one asked for, or the kernel's own. */
enum ss_figure app_figure(const struct app *app);

/**
 * Take documents read anew. What was edited since they were read before is carried over
 * when `app->keeps_edits`, else dropped; both can be taken back.
 *
 * @param registry borrowed from now on, on success; the caller then frees the old one.
 * @param scenario taken over; NULL: the draft stays.
 * @param review   taken over; NULL: the review stays.
 * @return false when nothing can be priced with it: everything stays as it was.
 */
bool app_reload(struct app *app, struct ss_registry *registry, struct ss_scenario *scenario,
		struct ss_review *review);

/** The draft is on disk as `file` now, and the review beside it. */
void app_saved(struct app *app, const char *file);

/** Is the scenario, review aside, another than its file holds? */
bool app_differs_from_source(const struct app *app);

/** What a saved scenario does not hold, "" when it holds all: `SM budget 66`. */
void app_left_behind(const struct app *app, struct xbuf *out);

/** The review of a scenario that was opened, taken over; NULL: an empty one. */
void app_set_review(struct app *app, struct ss_review *review);

/** The n-th way out of a refusal, 0 first; NULL past the last. Borrowed. */
const struct ss_fix *app_fix(const struct app *app, int n);

/** First refusal or error of the draft, or NULL. Borrowed. */
const struct ss_problem *app_refusal(const struct app *app);

/** Add the `stepscope` command that gives this state. */
void app_command_line(const struct app *app, struct xbuf *out);

/** Save to a file, or export the pane with the focus; the loop does the writing. */
unsigned app_save(struct app *app, const char *file);
unsigned app_export(struct app *app, const char *file);

/** Start recording what is done as a tour, or, with "", end it; see tour.h. */
unsigned app_record(struct app *app, const char *file);

/** Is there an entry of this name in scope that can be tried at another value? */
bool app_known_coefficient(const struct app *app, const char *name);

/** Is the row with this id marked? */
bool app_is_marked(const struct app_list *list, int id);

/** Ask a yes or no; what a yes does depends on the question. */
unsigned app_confirm(struct app *app, enum app_question question, const char *text);

/** Ask for the value of an entry: the setting it stands for, or the value to try. */
unsigned app_ask_entry(struct app *app, int entry);

/** Ask for text. Returns APP_PROMPT. */
unsigned app_ask(struct app *app, enum app_prompt_kind kind, const char *label,
		 const char *initial);

#endif
