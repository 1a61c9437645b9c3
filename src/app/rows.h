/*
 * What each pane lists, made from the state into tables of text.
 */
#ifndef APP_ROWS_H
#define APP_ROWS_H

#include "app/app.h"
#include "case/difference.h"

/** Fill a pane's table; what it cannot show (no price yet) stays empty. */
void rows_make(struct table *table, const struct app *app, enum pane_id pane);

/* One a pane; rows_make() calls them. */
void rows_deployment(struct table *table, const struct app *app);
void rows_resolved(struct table *table, const struct app *app);
void rows_provenance(struct table *table, const struct app *app);
void rows_evidence(struct table *table, const struct app *app);
void rows_step(struct table *table, const struct app *app);
void rows_batch(struct table *table, const struct app *app);
void rows_compare(struct table *table, const struct app *app);
void rows_model(struct table *table, const struct app *app);
void rows_engine(struct table *table, const struct app *app);

/** "Next FULL: -0.43 ms, does not fit", and what of it is a known error of the law. */
void rows_change(char *out, size_t size, const char *what, const struct difference *change,
		 const char *note);

/** How a field is labelled: the tail of its path, without `enable_`. Borrowed. */
const char *rows_label(enum ss_field_id field);
/** The tail of its path: what assumptions and overrides call it. Borrowed. */
const char *rows_name(enum ss_field_id field);

/** What runs for a field, as the deployment pane shows it. */
void rows_value(const struct app *app, enum ss_field_id field, char *out, size_t size);
/** '~' assumed, '!' overridden, '*' differs from the baseline, 'x' refused, or a blank. */
char rows_mark(const struct app *app, enum ss_field_id field);

/** Settings shown, and how many of them are stated. */
void rows_count_settings(const struct app *app, int *stated, int *total);

/** The letter of a mark for a method: '~' assumed and what is not evidence, else a blank. */
char rows_method_mark(enum ss_method method);

/** The value of an entry as a person reads it: bytes in GiB, numbers short, settings as text. */
void rows_entry_value(const struct ss_entry *entry, char *out, size_t size);
/** The same with its unit. */
void rows_entry_value_unit(const struct ss_entry *entry, double value, char *out, size_t size);

/** Rows of "what fits": requests of N tokens, then settings. */
#define ROWS_MEMORY_FIELDS 4
/** The setting behind such a row; SS_FIELD_COUNT for the first, which is no setting. */
enum ss_field_id rows_memory_field(int row);

/** Add what the SM70 build selects for the batch; nothing for any other. */
void rows_selection(struct table *table, const struct app *app);
#define ROWS_SELECTION 200000 /**< id of its rows */
#define ROWS_PACK 300000      /**< ids of the lists of the release from this on */

/** Ids of rows of the Step pane from this on are divergences (id - this). */
#define ROWS_DIVERGENCE 100000

/** The label of a term with what tells it from its like: "attention, decode mla". */
void rows_term_label(const struct quote *quote, const struct ss_term *term, char *out, size_t size);

/** One line of a group of the batch, as "32 decode x 4096". */
void rows_group(const struct app *app, const struct ss_group *group, char *out, size_t size);
/** decode, verify, prefill or chunk: what the step takes the group for. */
const char *rows_group_kind(const struct app *app, const struct ss_group *group);

/** Help for one setting; for the entries of one name (false: there are none). */
void rows_field_help(const struct app *app, enum ss_field_id field, struct xbuf *out);
bool rows_entry_help(const struct app *app, const char *name, struct xbuf *out);

/** What Enter shows of a node of the Model pane. False: the row is none. */
bool rows_model_detail(const struct app *app, int id, struct xbuf *out);

/** All of one entry. */
void rows_entry_detail(const struct app *app, int entry, struct xbuf *out);

/**
 * Entries that the law of a term read, in every layer kind, each once.
 *
 * @return how many, at most `room`.
 */
size_t rows_term_reads(const struct app *app, size_t term, int *out, size_t room);

/** Full text of the selected row of a pane, for Enter: adds to `out`. False: it has none. */
bool rows_detail(struct app *app, enum pane_id pane, struct xbuf *out, char *title, size_t size);

#endif
