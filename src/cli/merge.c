/*
 * Joining the shards of a sweep. Each file holds rows of one sweep in order, so one
 * row of each is enough to have at hand: the least index is written next.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/run.h"
#include "sweep/sweep_database.h"
#include "sweep/sweep_join.h"
#include "text/shown.h"
#include "text/number.h"
#include "text/words.h"

/** Rows between two writes. */
#define MERGE_BYTES 65536
/** Holes named one by one; the rest is counted. */
#define HOLES_NAMED 8

/** One file, at its next row. */
struct shard_file {
	const char *name;
	FILE *file;
	char *line;
	size_t capacity, length;
	uint64_t number; /**< of the line, from 1 */
	uint64_t index;  /**< of the row */
	bool has_row;
	bool is_cut; /**< it ends within a row */
};

struct merge {
	struct batch *batch;
	struct shard_file *files;
	size_t count;
	char *header, *hash;
	const char *header_of, *hash_of; /**< the file each was found in */
	struct xbuf out;
	uint64_t next; /**< the row that should come now */
	uint64_t rows, duplicates, missing;
	size_t holes;
	int status;
};

/** The key that a row starts with, or has behind `"key":`: its hash and its index. */
static bool read_key(const char *line, char hash[9], uint64_t *index)
{
	static const char json[] = "\"key\":\"";
	const char *at = line;
	char *end;

	if (*line == '{') {
		at = strstr(line, json);
		if (!at)
			return false;
		at += sizeof(json) - 1;
	} else if (!strncmp(line, "| ", 2)) {
		at += 2;
	}
	if (strspn(at, "0123456789abcdef") != 8 || at[8] != '-' || at[9] < '0' || at[9] > '9')
		return false;
	memcpy(hash, at, 8);
	hash[8] = '\0';
	errno = 0;
	*index = strtoull(at + 9, &end, 10);
	return !errno;
}

/** Keep the first of a kind; false when a later one differs. */
static bool same_as_first(char **first, const char **first_of, const char *text, const char *name)
{
	if (!*first) {
		*first = xstrdup(text);
		*first_of = name;
	}
	return !strcmp(*first, text);
}

static enum ss_status wrong(const struct shard_file *f, struct ss_error *err, const char *message,
			    const char *other)
{
	return ss_fail(err, SS_EUSAGE, f->name, "line %" PRIu64 ": %s%s", f->number, message,
		       other);
}

/** Go to the next row of a file; a title line is compared and passed over. */
static enum ss_status read_row(struct merge *m, struct shard_file *f, struct ss_error *err)
{
	uint64_t before = f->index;
	bool had_row = f->has_row;
	char hash[9];
	ssize_t length;

	f->has_row = false;
	while ((length = getline(&f->line, &f->capacity, f->file)) > 0) {
		f->number++;
		f->length = (size_t)length;
		if (f->line[f->length - 1] != '\n') {
			f->is_cut = true;
			return SS_OK;
		}
		if (read_key(f->line, hash, &f->index)) {
			f->has_row = true;
			break;
		}
		if (f->number == 2 && !strncmp(f->line, "| ---", 5))
			continue;
		if (f->number > 1)
			return wrong(f, err, "no row of a sweep: it has no key", "");
		if (!same_as_first(&m->header, &m->header_of, f->line, f->name))
			return wrong(f, err, "other columns than in ", m->header_of);
	}
	if (ferror(f->file))
		return ss_fail(err, SS_EIO, f->name, "%s", strerror(errno));
	if (!f->has_row)
		return SS_OK;
	if (!same_as_first(&m->hash, &m->hash_of, hash, f->name))
		return wrong(f, err, "a row of another sweep than those of ", m->hash_of);
	if (had_row && f->index <= before)
		return wrong(f, err,
			     "its row does not come after the one before; was it made with --best?",
			     "");
	return SS_OK;
}

/** Opening a pipe that nobody writes would wait for ever. */
static enum ss_status check_file(const char *name, struct ss_error *err)
{
	struct stat about;

	if (stat(name, &about))
		return ss_fail(err, SS_EIO, name, "%s", strerror(errno));
	if (!S_ISREG(about.st_mode))
		return ss_fail(err, SS_EIO, name, "must be a regular file");
	return SS_OK;
}

static enum ss_status open_file(struct merge *m, struct shard_file *f, struct ss_error *err)
{
	f->file = fopen(f->name, "r");
	if (!f->file)
		return ss_fail(err, SS_EIO, f->name, "%s", strerror(errno));
	return read_row(m, f, err);
}

/** The file whose row comes first; of equal rows the first file's. NULL at the end. */
static struct shard_file *least(struct merge *m)
{
	struct shard_file *found = NULL;

	for (size_t i = 0; i < m->count; i++)
		if (m->files[i].has_row && (!found || m->files[i].index < found->index))
			found = &m->files[i];
	return found;
}

static void note_hole(struct merge *m, uint64_t first, uint64_t last)
{
	m->missing += last - first + 1;
	if (m->holes++ >= HOLES_NAMED || m->batch->arguments->is_quiet)
		return;
	if (first == last)
		say("row %" PRIu64 " is in no file", first);
	else
		say("rows %" PRIu64 " to %" PRIu64 " are in no file", first, last);
}

static int flush(struct merge *m)
{
	int status = m->out.len ? batch_write(m->batch, &m->out) : EXIT_PRICED;

	m->out.len = 0;
	return status;
}

static void write_titles(struct merge *m)
{
	if (!m->header)
		return;
	xbuf_puts(&m->out, m->header);
	if (*m->header != '|')
		return;
	for (const char *at = m->header + 1; *at; at++)
		if (*at == '|')
			xbuf_puts(&m->out, "| --- ");
	xbuf_puts(&m->out, "|\n");
}

/** Pass over rows of other files with the same index, which must be the same. */
static enum ss_status drop_copies(struct merge *m, const struct shard_file *from,
				  struct ss_error *err)
{
	enum ss_status rc = SS_OK;

	for (size_t i = 0; !rc && i < m->count; i++) {
		struct shard_file *f = &m->files[i];

		if (f == from || !f->has_row || f->index != from->index)
			continue;
		if (f->length != from->length || memcmp(f->line, from->line, f->length) != 0)
			return wrong(f, err, "the same row stands otherwise in ", from->name);
		m->duplicates++;
		rc = read_row(m, f, err);
	}
	return rc;
}

static enum ss_status join(struct merge *m, struct ss_error *err)
{
	struct shard_file *f;
	enum ss_status rc = SS_OK;

	write_titles(m);
	while (!rc && !m->status && (f = least(m))) {
		if (f->index > m->next)
			note_hole(m, m->next, f->index - 1);
		m->next = f->index + 1;
		m->rows++;
		xbuf_add(&m->out, f->line, f->length);
		rc = drop_copies(m, f, err);
		if (!rc)
			rc = read_row(m, f, err);
		if (m->out.len > MERGE_BYTES)
			m->status = flush(m);
	}
	if (!rc && !m->status)
		m->status = flush(m);
	return rc;
}

/** Of how many shards the name says to be one: `NAME.3-of-16.csv`; 0 when it does not. */
static uint64_t shards_named(const char *name, uint64_t *shard)
{
	for (const char *at = strstr(name, "-of-"); at; at = strstr(at + 1, "-of-")) {
		const char *start = at;

		while (start > name && start[-1] >= '0' && start[-1] <= '9')
			start--;
		if (start < at && at[4] >= '1' && at[4] <= '9') {
			*shard = strtoull(start, NULL, 10);
			return strtoull(at + 4, NULL, 10);
		}
	}
	return 0;
}

/** Say which of the shards that the names speak of were not given; how many. */
static uint64_t say_lost_shards(const struct merge *m)
{
	uint64_t shard, shards = 0, lost = 0;
	bool *is_there;

	for (size_t i = 0; i < m->count; i++)
		if (shards_named(m->files[i].name, &shard) > shards)
			shards = shards_named(m->files[i].name, &shard);
	if (!shards || shards > 1000000)
		return 0;
	is_there = xcalloc((size_t)shards + 1, sizeof(*is_there));
	for (size_t i = 0; i < m->count; i++)
		if (shards_named(m->files[i].name, &shard) == shards && shard <= shards)
			is_there[shard] = true;
	for (shard = 1; shard <= shards; shard++) {
		if (is_there[shard])
			continue;
		if (lost++ < HOLES_NAMED)
			say("shard %" PRIu64 " of %" PRIu64 " is missing", shard, shards);
	}
	free(is_there);
	return lost;
}

/** What was joined and what is not there; the status. */
static int conclude(struct merge *m, uint64_t expected)
{
	uint64_t lost, cut = 0;

	if (expected > m->next)
		note_hole(m, m->next, expected - 1);
	if (m->holes > HOLES_NAMED)
		say("and %zu more holes", m->holes - HOLES_NAMED);
	for (size_t i = 0; i < m->count; i++) {
		if (!m->files[i].is_cut)
			continue;
		cut++;
		say("%s ends within a row, left out: sweep --resume it", m->files[i].name);
	}
	lost = say_lost_shards(m);
	if (!m->batch->arguments->is_quiet)
		say("%s rows of %zu files, %s twice, %s missing",
		    number_count((double)m->rows).text, m->count,
		    number_count((double)m->duplicates).text,
		    number_count((double)m->missing).text);
	return lost || cut || (expected && m->missing) ? EXIT_REFUSED : EXIT_PRICED;
}

static void hole_of_join(void *context, uint64_t first, uint64_t last)
{
	note_hole(context, first, last);
}

/** Databases are joined by SQLite into a file beside the one they will be. */
static enum ss_status join_databases(struct merge *m, const char *const *names,
				     struct ss_error *err)
{
	struct sweep_join join = { .hole = hole_of_join, .context = m };
	struct file_out over = { 0 };
	enum ss_status rc;

	if (!m->batch->out_name)
		return ss_fail(err, SS_EUSAGE, "merge", "databases need a file: -o FILE");
	rc = sweep_database_may_replace(m->batch->out_name, err);
	if (!rc)
		rc = file_out_open(&over, m->batch->out_name, batch_how(m->batch), err);
	if (rc)
		return rc;
	if (over.beside)
		rc = sweep_join(&join, over.beside, names, m->count, err);
	else
		rc = ss_fail(err, SS_EIO, m->batch->out_name,
			     "is no file that a database could be put into");
	m->rows = join.rows;
	m->duplicates = join.duplicates;
	m->next = join.next;
	if (rc)
		file_out_drop(&over);
	else
		rc = file_out_close(&over, err);
	return rc;
}

static enum ss_status join_texts(struct merge *m, struct ss_error *err)
{
	enum ss_status rc = SS_OK;

	for (size_t i = 0; !rc && i < m->count; i++)
		rc = open_file(m, &m->files[i], err);
	return rc ? rc : join(m, err);
}

int run_merge(struct batch *batch)
{
	const struct arguments *a = batch->arguments;
	const char *expect = arguments_value(a, OPT_EXPECT);
	struct merge m = { .batch = batch, .count = a->name_count };
	struct ss_error err = { 0 };
	enum ss_status rc = SS_OK;
	int64_t expected = 0;
	bool has_database = false;

	if (expect && (!read_count(expect, (int64_t)1 << 53, &expected) || expected < 1))
		rc = ss_fail(&err, SS_EUSAGE, "expect", "must be a number of rows, got %s", expect);
	m.files = xcalloc(m.count, sizeof(*m.files));
	for (size_t i = 0; i < m.count; i++)
		m.files[i].name = a->names[i];
	for (size_t i = 0; !rc && i < m.count; i++) {
		rc = check_file(a->names[i], &err);
		has_database |= !rc && sweep_is_database(a->names[i]);
	}
	if (!rc)
		rc = has_database ? join_databases(&m, a->names, &err) : join_texts(&m, &err);
	if (rc)
		m.status = batch_fail(batch, rc, NULL, &err);
	else if (!m.status)
		m.status = conclude(&m, (uint64_t)expected);
	for (size_t i = 0; i < m.count; i++) {
		if (m.files[i].file)
			(void)fclose(m.files[i].file);
		free(m.files[i].line);
	}
	free(m.files);
	free(m.header);
	free(m.hash);
	xbuf_release(&m.out);
	return m.status;
}
