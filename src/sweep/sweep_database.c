#include "sweep/sweep_database.h"

#include "config.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void pack_index(struct xbuf *out, uint64_t index)
{
	xbuf_add(out, (const char *)&index, sizeof(index));
}

void pack_null(struct xbuf *out)
{
	xbuf_putc(out, PACKED_NULL);
}

void pack_number(struct xbuf *out, double number)
{
	xbuf_putc(out, PACKED_NUMBER);
	xbuf_add(out, (const char *)&number, sizeof(number));
}

void pack_text(struct xbuf *out, const char *text)
{
	uint32_t length = (uint32_t)strlen(text);

	xbuf_putc(out, PACKED_TEXT);
	xbuf_add(out, (const char *)&length, sizeof(length));
	xbuf_add(out, text, length);
}

void sweep_put_name(struct xbuf *sql, const char *name)
{
	xbuf_putc(sql, '"');
	for (; *name; name++)
		xbuf_add(sql, *name == '"' ? "\"\"" : name, *name == '"' ? 2 : 1);
	xbuf_putc(sql, '"');
}

enum ss_status sweep_database_may_replace(const char *name, struct ss_error *err)
{
	struct xbuf journal = { 0 };
	enum ss_status rc = SS_OK;

	xbuf_printf(&journal, "%s-journal", name);
	if (!access(xbuf_text(&journal), F_OK))
		rc = ss_fail(err, SS_EIO, xbuf_text(&journal),
			     "is left of a run that was killed; --resume goes on with that run");
	xbuf_release(&journal);
	return rc;
}

#if HAVE_SQLITE
#include <sqlite3.h>

/** Bytes of packed rows between two commits: some ten thousand rows. */
#define COMMIT_BYTES (2 << 20)

struct sweep_database {
	const struct sweep_plan *plan;
	const char *name;
	sqlite3 *handle;
	sqlite3_stmt *insert;
	size_t uncommitted;
};

static enum ss_status failed(struct sweep_database *d, struct ss_error *err)
{
	return ss_fail(err, SS_EIO, d->name, "%s",
		       d->handle ? sqlite3_errmsg(d->handle) : "out of memory");
}

static enum ss_status run_sql(struct sweep_database *d, const char *sql, struct ss_error *err)
{
	return sqlite3_exec(d->handle, sql, NULL, NULL, NULL) ? failed(d, err) : SS_OK;
}

/** An axis is of whole numbers, numbers or words; a figure is a number or a word. */
static const char *type_of(const struct sweep_plan *plan, const struct shown_column *c)
{
	const char *type = "INTEGER";
	const struct axis *axis;

	if (c->kind == SHOW_COLUMN)
		return c->index == COLUMN_FITS                             ? "INTEGER"
		       : sweep_column_is_text((enum sweep_column)c->index) ? "TEXT"
									   : "REAL";
	axis = &plan->axes.items[c->index];
	for (size_t i = 0; i < axis->count; i++) {
		const struct axis_value *v = &axis->values[i];

		if (!*v->text)
			continue;
		if (isnan(v->number) && !axis_is_switch(axis))
			return "TEXT";
		if (!isnan(v->number) && floor(v->number) != v->number)
			type = "REAL";
	}
	return type;
}

static enum ss_status make_tables(struct sweep_database *d, struct ss_error *err)
{
	const struct sweep_plan *plan = d->plan;
	struct xbuf sql = { 0 };
	enum ss_status rc;

	xbuf_puts(&sql, SWEEP_TABLES);
	for (size_t i = 0; i < plan->shown_count; i++) {
		if (plan->shown[i].kind == SHOW_KEY)
			continue;
		xbuf_puts(&sql, ", ");
		sweep_put_name(&sql, plan->shown[i].name);
		xbuf_printf(&sql, " %s", type_of(plan, &plan->shown[i]));
	}
	xbuf_puts(&sql, ")");
	rc = run_sql(d, xbuf_text(&sql), err);
	xbuf_release(&sql);
	return rc;
}

static void hash_text(const struct sweep_plan *plan, char out[16])
{
	(void)snprintf(out, 16, "%08lx", (unsigned long)plan->hash);
}

/** Say in the table `run` what this is, within the transaction that made it. */
static enum ss_status note_run(struct sweep_database *d, struct ss_error *err)
{
	char *scenario = ss_scenario_to_json(d->plan->session->scenario);
	sqlite3_stmt *insert = NULL;
	char hash[16];
	enum ss_status rc = SS_OK;

	hash_text(d->plan, hash);
	if (!scenario ||
	    sqlite3_prepare_v2(d->handle, "INSERT INTO run VALUES (?, ?, ?)", -1, &insert, NULL) ||
	    sqlite3_bind_text(insert, 1, hash, -1, SQLITE_STATIC) ||
	    sqlite3_bind_text(insert, 2, PACKAGE_VERSION, -1, SQLITE_STATIC) ||
	    sqlite3_bind_text(insert, 3, scenario, -1, SQLITE_STATIC) ||
	    sqlite3_step(insert) != SQLITE_DONE)
		rc = failed(d, err);
	(void)sqlite3_finalize(insert);
	free(scenario);
	return rc ? rc : run_sql(d, "COMMIT", err);
}

/** One value of a query; `out` as text. False when there is none. */
static bool ask(struct sweep_database *d, const char *sql, char *out, size_t size)
{
	sqlite3_stmt *query = NULL;
	bool found = !sqlite3_prepare_v2(d->handle, sql, -1, &query, NULL) &&
		     sqlite3_step(query) == SQLITE_ROW && sqlite3_column_text(query, 0);

	if (found)
		(void)snprintf(out, size, "%s", (const char *)sqlite3_column_text(query, 0));
	(void)sqlite3_finalize(query);
	return found;
}

/** Does the file hold this sweep? Then go on after its last row. */
static enum ss_status find_next(struct sweep_database *d, uint64_t first, uint64_t last,
				uint64_t *next, struct ss_error *err)
{
	char hash[16], found[32];

	hash_text(d->plan, hash);
	if (!ask(d, "SELECT hash FROM run", found, sizeof(found)) || strcmp(found, hash) != 0)
		return ss_fail(err, SS_EUSAGE, "resume",
			       "%s: holds no rows of this sweep; name its file, or a new one",
			       d->name);
	if (!ask(d, "SELECT max(row) FROM sweep", found, sizeof(found)))
		return SS_OK;
	*next = strtoull(found, NULL, 10) + 1;
	if (*next <= first || *next > last)
		return ss_fail(err, SS_EUSAGE, "resume", "%s: holds rows of another shard",
			       d->name);
	return SS_OK;
}

static enum ss_status prepare_insert(struct sweep_database *d, struct ss_error *err)
{
	struct xbuf sql = { 0 };
	int rc;

	xbuf_puts(&sql, "INSERT INTO sweep VALUES (?");
	for (size_t i = 0; i < d->plan->shown_count; i++)
		if (d->plan->shown[i].kind != SHOW_KEY)
			xbuf_puts(&sql, ", ?");
	xbuf_putc(&sql, ')');
	rc = sqlite3_prepare_v2(d->handle, xbuf_text(&sql), -1, &d->insert, NULL);
	xbuf_release(&sql);
	return rc ? failed(d, err) : SS_OK;
}

enum ss_status sweep_database_open(struct sweep_database **out, const struct sweep_plan *plan,
				   const char *name, enum database_how how, uint64_t first,
				   uint64_t last, uint64_t *next, struct ss_error *err)
{
	struct sweep_database *d = xcalloc(1, sizeof(*d));
	char count[32] = "";
	enum ss_status rc = SS_OK;

	d->plan = plan;
	d->name = name;
	*next = first;
	if (sqlite3_open_v2(name, &d->handle, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, NULL) ||
	    sqlite3_busy_timeout(d->handle, 5000))
		rc = failed(d, err);
	if (!rc && how == DATABASE_APART)
		rc = run_sql(d, "PRAGMA journal_mode = MEMORY", err);
	if (!rc && !ask(d, "SELECT count(*) FROM sqlite_master", count, sizeof(count)))
		rc = failed(d, err);
	if (!rc && strcmp(count, "0") != 0 && how != DATABASE_GOES_ON)
		rc = ss_fail(err, SS_EUSAGE, name, "is there already; --resume goes on with it");
	if (!rc && !strcmp(count, "0")) {
		rc = make_tables(d, err);
		if (!rc)
			rc = note_run(d, err);
	} else if (!rc) {
		rc = find_next(d, first, last, next, err);
	}
	if (!rc)
		rc = prepare_insert(d, err);
	if (rc)
		sweep_database_close(d);
	else
		*out = d;
	return rc;
}

/** Bind one row's cells from `at`; returns what lies behind it. */
static const char *bind_row(struct sweep_database *d, const char *at)
{
	uint64_t index;
	int cell = 1;

	memcpy(&index, at, sizeof(index));
	at += sizeof(index);
	(void)sqlite3_bind_int64(d->insert, cell++, (sqlite3_int64)index);
	for (size_t i = 0; i < d->plan->shown_count; i++) {
		double number;
		uint32_t length;

		if (d->plan->shown[i].kind == SHOW_KEY)
			continue;
		switch ((enum packed_kind) * at++) {
		case PACKED_NULL:
			(void)sqlite3_bind_null(d->insert, cell++);
			break;
		case PACKED_NUMBER:
			memcpy(&number, at, sizeof(number));
			at += sizeof(number);
			(void)sqlite3_bind_double(d->insert, cell++, number);
			break;
		case PACKED_TEXT:
			memcpy(&length, at, sizeof(length));
			at += sizeof(length);
			(void)sqlite3_bind_text(d->insert, cell++, at, (int)length, SQLITE_STATIC);
			at += length;
			break;
		}
	}
	return at;
}

enum ss_status sweep_database_add(struct sweep_database *d, const struct xbuf *rows,
				  struct ss_error *err)
{
	const char *at = rows->data, *end = rows->data + rows->len;

	if (!d->uncommitted && run_sql(d, "BEGIN", err))
		return SS_EIO;
	while (at < end) {
		at = bind_row(d, at);
		if (sqlite3_step(d->insert) != SQLITE_DONE || sqlite3_reset(d->insert))
			return failed(d, err);
	}
	d->uncommitted += rows->len;
	if (d->uncommitted < COMMIT_BYTES)
		return SS_OK;
	d->uncommitted = 0;
	return run_sql(d, "COMMIT", err);
}

static enum ss_status make_indexes(struct sweep_database *d, struct ss_error *err)
{
	enum ss_status rc = SS_OK;

	for (size_t i = 0; !rc && i < d->plan->shown_count; i++) {
		const struct shown_column *c = &d->plan->shown[i];
		struct xbuf sql = { 0 };

		if (c->kind != SHOW_AXIS || d->plan->axes.items[c->index].count < 2)
			continue;
		xbuf_puts(&sql, "CREATE INDEX IF NOT EXISTS ");
		sweep_put_name(&sql, c->name);
		xbuf_puts(&sql, " ON sweep (");
		sweep_put_name(&sql, c->name);
		xbuf_putc(&sql, ')');
		rc = run_sql(d, xbuf_text(&sql), err);
		xbuf_release(&sql);
	}
	return rc;
}

enum ss_status sweep_database_finish(struct sweep_database *d, struct ss_error *err)
{
	enum ss_status rc = SS_OK;

	if (!d)
		return SS_OK;
	if (d->uncommitted)
		rc = run_sql(d, "COMMIT", err);
	d->uncommitted = 0;
	if (!rc)
		rc = make_indexes(d, err);
	sweep_database_close(d);
	return rc;
}

void sweep_database_close(struct sweep_database *d)
{
	if (!d)
		return;
	/* An open transaction is committed as far as whole rows go. */
	if (d->uncommitted)
		(void)sqlite3_exec(d->handle, "COMMIT", NULL, NULL, NULL);
	(void)sqlite3_finalize(d->insert);
	(void)sqlite3_close(d->handle);
	free(d);
}
#else

enum ss_status sweep_database_open(struct sweep_database **out, const struct sweep_plan *plan,
				   const char *name, enum database_how how, uint64_t first,
				   uint64_t last, uint64_t *next, struct ss_error *err)
{
	(void)out, (void)plan, (void)how, (void)first, (void)last, (void)next;
	return ss_fail(err, SS_EUSAGE, name,
		       "this program was built without SQLite; use --format csv");
}

enum ss_status sweep_database_add(struct sweep_database *d, const struct xbuf *rows,
				  struct ss_error *err)
{
	(void)d, (void)rows, (void)err;
	return SS_EUSAGE;
}

enum ss_status sweep_database_finish(struct sweep_database *d, struct ss_error *err)
{
	(void)d, (void)err;
	return SS_OK;
}

void sweep_database_close(struct sweep_database *d)
{
	(void)d;
}
#endif
