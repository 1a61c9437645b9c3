#include "sweep/sweep_join.h"

#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sweep/sweep_database.h"
#include "text/xbuf.h"

bool sweep_is_database(const char *name)
{
	static const char magic[] = "SQLite format 3";
	char found[sizeof(magic)] = "";
	FILE *file = fopen(name, "rb");
	bool is_one = file && fread(found, 1, sizeof(found), file) == sizeof(found) &&
		      memcmp(found, magic, sizeof(magic)) == 0;

	if (file)
		(void)fclose(file);
	return is_one;
}

#if HAVE_SQLITE
#include <sqlite3.h>

struct joiner {
	struct sweep_join *join;
	sqlite3 *handle;
	const char *name, *first; /**< the file read, and the first of them; NULL at first */
	struct xbuf columns, hash, indexes;
};

static enum ss_status failed(const struct joiner *j, struct ss_error *err)
{
	return ss_fail(err, SS_EIO, j->name, "%s",
		       j->handle ? sqlite3_errmsg(j->handle) : "out of memory");
}

static enum ss_status run_sql(struct joiner *j, const char *sql, struct ss_error *err)
{
	return sqlite3_exec(j->handle, sql, NULL, NULL, NULL) ? failed(j, err) : SS_OK;
}

/** Append the first column of every row, each ended by `end`; false when it cannot be asked. */
static bool ask(struct joiner *j, const char *sql, const char *end, struct xbuf *out)
{
	sqlite3_stmt *query = NULL;
	bool is_asked = !sqlite3_prepare_v2(j->handle, sql, -1, &query, NULL);
	int rc = SQLITE_DONE;

	while (is_asked && (rc = sqlite3_step(query)) == SQLITE_ROW) {
		const char *text = (const char *)sqlite3_column_text(query, 0);

		xbuf_puts(out, text ? text : "");
		xbuf_puts(out, end);
	}
	(void)sqlite3_finalize(query);
	return is_asked && rc == SQLITE_DONE;
}

static enum ss_status attach(struct joiner *j, struct ss_error *err)
{
	sqlite3_stmt *attach = NULL;
	enum ss_status rc = SS_OK;

	if (!sweep_is_database(j->name))
		return ss_fail(err, SS_EUSAGE, j->name, "is no SQLite database, as %s is",
			       j->first ? j->first : "another");
	if (sqlite3_prepare_v2(j->handle, "ATTACH ? AS shard", -1, &attach, NULL) ||
	    sqlite3_bind_text(attach, 1, j->name, -1, SQLITE_STATIC) ||
	    sqlite3_step(attach) != SQLITE_DONE)
		rc = failed(j, err);
	(void)sqlite3_finalize(attach);
	return rc;
}

/** Columns after `row` with their types, as SQL has them; empty where it is no plain table. */
static bool read_columns(struct joiner *j, struct xbuf *out)
{
	sqlite3_stmt *query = NULL;
	bool is_whole = !sqlite3_prepare_v2(
		j->handle,
		"SELECT name, upper(type) FROM pragma_table_info('sweep', 'shard') WHERE EXISTS "
		"(SELECT 1 FROM shard.sqlite_master WHERE name = 'sweep' AND type = 'table' AND "
		"sql NOT LIKE 'create virtual%') ORDER BY cid",
		-1, &query, NULL);
	int column = 0, rc = SQLITE_DONE;

	for (; is_whole && (rc = sqlite3_step(query)) == SQLITE_ROW; column++) {
		const char *name = (const char *)sqlite3_column_text(query, 0);
		const char *type = (const char *)sqlite3_column_text(query, 1);

		is_whole = name && type &&
			   (!strcmp(type, "INTEGER") || !strcmp(type, "REAL") ||
			    !strcmp(type, "TEXT")) &&
			   (column || !strcmp(name, "row"));
		if (!is_whole || !column)
			continue;
		xbuf_puts(out, ", ");
		sweep_put_name(out, name);
		xbuf_printf(out, " %s", type);
	}
	(void)sqlite3_finalize(query);
	return is_whole && rc == SQLITE_DONE && column > 1;
}

/** Nothing that a file says is run: its tables are made anew from their columns' names. */
static enum ss_status make_tables(struct joiner *j, struct ss_error *err)
{
	struct xbuf sql = { 0 };
	enum ss_status rc;

	xbuf_printf(&sql,
		    SWEEP_TABLES "%s);"
				 "INSERT INTO main.run SELECT hash, version, scenario FROM "
				 "shard.run LIMIT 1; COMMIT",
		    xbuf_text(&j->columns));
	rc = run_sql(j, xbuf_text(&sql), err);
	xbuf_release(&sql);
	return rc;
}

/** The first file gives the columns; the others must have the same, and be of its run. */
static enum ss_status check_run(struct joiner *j, struct ss_error *err)
{
	struct xbuf columns = { 0 }, hash = { 0 };
	enum ss_status rc = SS_OK;

	if (!read_columns(j, &columns) ||
	    !ask(j, "SELECT hash FROM shard.run LIMIT 1", "", &hash) || !hash.len)
		rc = ss_fail(err, SS_EUSAGE, j->name, "holds no rows of a sweep");
	else if (j->first && strcmp(xbuf_text(&hash), xbuf_text(&j->hash)) != 0)
		rc = ss_fail(err, SS_EUSAGE, j->name, "rows of another sweep than those of %s",
			     j->first);
	else if (j->first && strcmp(xbuf_text(&columns), xbuf_text(&j->columns)) != 0)
		rc = ss_fail(err, SS_EUSAGE, j->name, "other columns than in %s", j->first);
	if (!rc && !j->first) {
		xbuf_puts(&j->hash, xbuf_text(&hash));
		xbuf_puts(&j->columns, xbuf_text(&columns));
		rc = make_tables(j, err);
	}
	xbuf_release(&columns);
	xbuf_release(&hash);
	return rc;
}

/** Axes are indexed under their own names; a shard killed before its end has none yet. */
static bool read_indexes(struct joiner *j)
{
	sqlite3_stmt *query = NULL;
	bool is_asked = !sqlite3_prepare_v2(
		j->handle,
		"SELECT name FROM pragma_table_info('sweep', 'shard') WHERE name IN "
		"(SELECT name FROM pragma_index_list('sweep', 'shard')) ORDER BY cid",
		-1, &query, NULL);
	int rc = SQLITE_DONE;

	while (is_asked && (rc = sqlite3_step(query)) == SQLITE_ROW) {
		const char *name = (const char *)sqlite3_column_text(query, 0);

		xbuf_puts(&j->indexes, "CREATE INDEX ");
		sweep_put_name(&j->indexes, name ? name : "");
		xbuf_puts(&j->indexes, " ON sweep (");
		sweep_put_name(&j->indexes, name ? name : "");
		xbuf_puts(&j->indexes, ");");
	}
	(void)sqlite3_finalize(query);
	return is_asked && rc == SQLITE_DONE;
}

/** Rows that are there already must be the same. */
static enum ss_status check_copies(struct joiner *j, struct ss_error *err)
{
	struct xbuf copies = { 0 }, other = { 0 };
	enum ss_status rc = SS_OK;

	if (!ask(j, "SELECT count(*) FROM shard.sweep WHERE row IN (SELECT row FROM main.sweep)",
		 "", &copies) ||
	    !ask(j,
		 "SELECT row FROM (SELECT * FROM shard.sweep WHERE row IN (SELECT row FROM "
		 "main.sweep) EXCEPT SELECT * FROM main.sweep) LIMIT 1",
		 "", &other))
		rc = failed(j, err);
	else if (other.len)
		rc = ss_fail(err, SS_EUSAGE, j->name, "row %s stands otherwise in a file before it",
			     xbuf_text(&other));
	j->join->duplicates += strtoull(xbuf_text(&copies), NULL, 10);
	xbuf_release(&copies);
	xbuf_release(&other);
	return rc;
}

static enum ss_status add_file(struct joiner *j, struct ss_error *err)
{
	enum ss_status rc = attach(j, err);

	if (rc)
		return rc;
	rc = check_run(j, err);
	if (!rc && j->first)
		rc = check_copies(j, err);
	if (!rc && !j->indexes.len && !read_indexes(j))
		rc = failed(j, err);
	if (!rc)
		rc = run_sql(j,
			     "BEGIN; INSERT OR IGNORE INTO main.sweep SELECT * FROM shard.sweep "
			     "ORDER BY row; COMMIT",
			     err);
	if (!rc)
		rc = run_sql(j, "DETACH shard", err);
	if (!j->first)
		j->first = j->name;
	return rc;
}

static enum ss_status find_holes(struct joiner *j, struct ss_error *err)
{
	struct sweep_join *join = j->join;
	sqlite3_stmt *query = NULL;
	int rc = sqlite3_prepare_v2(j->handle, "SELECT row FROM main.sweep ORDER BY row", -1,
				    &query, NULL);

	while (!rc && (rc = sqlite3_step(query)) == SQLITE_ROW) {
		sqlite3_int64 found = sqlite3_column_int64(query, 0);
		uint64_t row = (uint64_t)found;

		if (found < 0) {
			(void)sqlite3_finalize(query);
			return ss_fail(err, SS_EUSAGE, "row", "%lld is none of a sweep",
				       (long long)found);
		}
		if (row > join->next)
			join->hole(join->context, join->next, row - 1);
		join->next = row + 1;
		join->rows++;
		rc = SQLITE_OK;
	}
	(void)sqlite3_finalize(query);
	return rc == SQLITE_DONE ? SS_OK : failed(j, err);
}

enum ss_status sweep_join(struct sweep_join *join, const char *out, const char *const *names,
			  size_t count, struct ss_error *err)
{
	struct joiner j = { .join = join, .name = out };
	enum ss_status rc = SS_OK;

	if (sqlite3_open_v2(out, &j.handle, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, NULL))
		rc = failed(&j, err);
	if (!rc)
		rc = run_sql(&j,
			     "PRAGMA journal_mode = MEMORY; PRAGMA temp_store = FILE; "
			     "PRAGMA trusted_schema = OFF",
			     err);
	for (size_t i = 0; !rc && i < count; i++) {
		j.name = names[i];
		rc = add_file(&j, err);
	}
	j.name = out;
	if (!rc && j.indexes.len)
		rc = run_sql(&j, xbuf_text(&j.indexes), err);
	if (!rc)
		rc = find_holes(&j, err);
	(void)sqlite3_close(j.handle);
	xbuf_release(&j.columns);
	xbuf_release(&j.hash);
	xbuf_release(&j.indexes);
	return rc;
}
#else

enum ss_status sweep_join(struct sweep_join *join, const char *out, const char *const *names,
			  size_t count, struct ss_error *err)
{
	(void)join, (void)out, (void)count;
	return ss_fail(err, SS_EUSAGE, names[0],
		       "is an SQLite database, and this program was built without SQLite");
}
#endif
