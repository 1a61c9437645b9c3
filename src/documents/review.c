/* Reviews: kept in order of being said, read strictly, written with a line an entry's part. */
#include "stepscope/review.h"

#include <ctype.h>
#include <float.h>
#include <stdlib.h>
#include <string.h>

#include "documents/buf.h"
#include "documents/documents.h"
#include "documents/json.h"
#include "documents/value.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

enum { ENTRIES_MAX = 100000, TEXTS = 7 };

static const char *const verdicts[] = {
#define SS_X(id, name) name,
	SS_JUDGEMENTS(SS_X)
#undef SS_X
};

static const struct words verdict_words = { verdicts, COUNT(verdicts), 0 };

const char *ss_judgement_name(enum ss_judgement verdict)
{
	return (size_t)verdict < COUNT(verdicts) ? verdicts[verdict] : "";
}

/* -- keeping -------------------------------------------------------------------------- */

/* Where each text of an entry is; the name first. */
static void texts_of(struct ss_review_entry *entry, char **texts[TEXTS])
{
	texts[0] = &entry->name;
	texts[1] = &entry->set;
	texts[2] = &entry->value_text;
	texts[3] = &entry->units;
	texts[4] = &entry->note;
	texts[5] = &entry->reviewer;
	texts[6] = &entry->date;
}

static void release_entry(struct ss_review_entry *entry)
{
	char **texts[TEXTS];

	texts_of(entry, texts);
	for (int i = 0; i < TEXTS; i++)
		free(*texts[i]);
	free(entry->scenario_sha256);
	*entry = (struct ss_review_entry){ 0 };
}

static char *copy_text(const char *text)
{
	return strdup(text ? text : "");
}

static enum ss_status copy_entry(struct ss_review_entry *out, const struct ss_review_entry *entry)
{
	struct ss_review_entry from = *entry;
	char **texts[TEXTS], **sources[TEXTS];
	bool is_whole = true;

	*out = *entry;
	texts_of(out, texts);
	texts_of(&from, sources);
	for (int i = 0; i < TEXTS; i++)
		is_whole &= (*texts[i] = copy_text(*sources[i])) != NULL;
	is_whole &= (out->scenario_sha256 = copy_text(entry->scenario_sha256)) != NULL;
	if (is_whole)
		return SS_OK;
	release_entry(out);
	return SS_ENOMEM;
}

struct ss_review *ss_review_new(const char *scenario)
{
	struct ss_review *review = calloc(1, sizeof(*review));

	if (review && !(review->scenario = strdup(scenario))) {
		free(review);
		return NULL;
	}
	return review;
}

void ss_review_free(struct ss_review *review)
{
	if (!review)
		return;
	for (size_t i = 0; i < review->count; i++)
		release_entry(&review->entries[i]);
	free(review->entries);
	free(review->scenario);
	free(review);
}

enum ss_status ss_review_clone(struct ss_review **out, const struct ss_review *review)
{
	struct ss_review *copy = ss_review_new(review->scenario);
	enum ss_status rc = copy ? SS_OK : SS_ENOMEM;

	for (size_t i = 0; i < review->count && !rc; i++)
		rc = ss_review_put(copy, &review->entries[i]);
	if (rc) {
		ss_review_free(copy);
		return rc;
	}
	*out = copy;
	return SS_OK;
}

bool ss_review_entry_equal(const struct ss_review_entry *a, const struct ss_review_entry *b)
{
	struct ss_review_entry left = *a, right = *b;
	char **mine[TEXTS], **other[TEXTS];

	texts_of(&left, mine);
	texts_of(&right, other);
	for (int i = 0; i < TEXTS; i++)
		if (strcmp(*mine[i] ? *mine[i] : "", *other[i] ? *other[i] : "") != 0)
			return false;
	return a->has_value == b->has_value && !(a->value < b->value) && !(a->value > b->value) &&
	       a->verdict == b->verdict;
}

bool ss_review_equal(const struct ss_review *a, const struct ss_review *b)
{
	if (a->count != b->count)
		return false;
	for (size_t i = 0; i < a->count; i++) {
		const struct ss_review_entry *other = ss_review_find(b, a->entries[i].name);

		if (!other || !ss_review_entry_equal(&a->entries[i], other))
			return false;
	}
	return true;
}

static struct ss_review_entry *find(const struct ss_review *review, const char *name)
{
	for (size_t i = 0; i < review->count; i++)
		if (!strcmp(review->entries[i].name, name))
			return &review->entries[i];
	return NULL;
}

const struct ss_review_entry *ss_review_find(const struct ss_review *review, const char *name)
{
	return find(review, name);
}

enum ss_status ss_review_put(struct ss_review *review, const struct ss_review_entry *entry)
{
	struct ss_review_entry copy, *old = find(review, entry->name), *grown;
	enum ss_status rc = copy_entry(&copy, entry);

	if (rc)
		return rc;
	if (old) {
		release_entry(old);
		*old = copy;
		return SS_OK;
	}
	grown = realloc(review->entries, (review->count + 1) * sizeof(*grown));
	if (!grown) {
		release_entry(&copy);
		return SS_ENOMEM;
	}
	review->entries = grown;
	review->entries[review->count++] = copy;
	return SS_OK;
}

void ss_review_drop(struct ss_review *review, const char *name)
{
	struct ss_review_entry *old = find(review, name);
	size_t at = old ? (size_t)(old - review->entries) : 0;

	if (!old)
		return;
	release_entry(old);
	review->count--;
	memmove(old, old + 1, (review->count - at) * sizeof(*old));
}

/* -- reading -------------------------------------------------------------------------- */

/* `2026-11-30`, and a time behind it or not. */
static bool is_date(const char *text)
{
	static const char day[] = "dddd-dd-dd", whole[] = "dddd-dd-ddTdd:dd:ddZ";
	const char *form = strlen(text) == sizeof(day) - 1 ? day : whole;

	if (strlen(text) != strlen(form))
		return false;
	for (; *form; form++, text++)
		if (*form == 'd' ? !isdigit((unsigned char)*text) : *form != *text)
			return false;
	return true;
}

static bool is_hash(const char *text)
{
	return strlen(text) == 64 && strspn(text, "0123456789abcdef") == 64;
}

static void read_value(struct reader *r, const struct place *at, const cJSON *item,
		       struct ss_review_entry *entry)
{
	if (cJSON_IsString(item)) {
		entry->value_text = item->valuestring;
		return;
	}
	entry->has_value = read_number(r, at, item, -DBL_MAX, DBL_MAX, NULL, &entry->value);
}

static void read_entry(struct reader *r, const struct place *at, const cJSON *item,
		       struct ss_review *review, bool *is_out_of_memory)
{
	enum { VALUE, VERDICT, KEY_COUNT = 9 };
#define TEXT(key) KEY_TEXT, false, offsetof(struct ss_review_entry, key), 0, 0, NULL, NULL
	static const struct key keys[KEY_COUNT] = {
		[VALUE] = { "value", KEY_ITEM, true, NO_OFFSET, 0, 0, NULL, NULL },
		[VERDICT] = { "verdict", KEY_WORD, true, offsetof(struct ss_review_entry, verdict),
			      0, 0, &verdict_words, NULL },
		{ "name", KEY_NAME, true, offsetof(struct ss_review_entry, name), 0, 0, NULL,
		  NULL },
		{ "set", TEXT(set) },
		{ "units", TEXT(units) },
		{ "note", TEXT(note) },
		{ "reviewer", TEXT(reviewer) },
		{ "date", TEXT(date) },
		{ "scenario_sha256", TEXT(scenario_sha256) },
	};
#undef TEXT
	const cJSON *found[KEY_COUNT];
	struct ss_review_entry entry = { 0 };
	struct place value = { at, "value", 0 }, name = { at, "name", 0 }, date = { at, "date", 0 },
		     hash = { at, "scenario_sha256", 0 };
	size_t before = r->error_count;

	if (!read_object(r, at, item, keys, KEY_COUNT, &entry, found) || r->error_count > before)
		return;
	if (found[VALUE])
		read_value(r, &value, found[VALUE], &entry);
	if (*entry.date && !is_date(entry.date))
		report(r, SS_ERROR, &date, "range",
		       "found \"%.40s\", must be a day as 2026-11-30, or with its time as "
		       "2026-11-30T23:50:15Z",
		       entry.date);
	if (*entry.scenario_sha256 && !is_hash(entry.scenario_sha256))
		report(r, SS_ERROR, &hash, "range", "must be a SHA-256 of 64 digits 0-9, a-f");
	if (ss_review_find(review, entry.name))
		report(r, SS_ERROR, &name, "duplicate-key", "%.80s is judged a second time here",
		       entry.name);
	if (r->error_count == before)
		*is_out_of_memory |= ss_review_put(review, &entry) != SS_OK;
}

struct ss_review *review_read(const cJSON *root, const char *file, struct ss_problems *problems)
{
	enum { SCENARIO, ENTRIES, KEY_COUNT = 4 };
	struct head {
		char *scenario;
		int64_t format;
	};
	static const struct key keys[KEY_COUNT] = {
		[SCENARIO] = { "scenario", KEY_NAME, true, offsetof(struct head, scenario), 0, 0,
			       NULL, NULL },
		[ENTRIES] = { "entries", KEY_LIST, true, NO_OFFSET, 0, 0, NULL, NULL },
		KIND_KEY,
		{ "format", KEY_INT, false, offsetof(struct head, format), 1, 1, NULL, NULL },
	};
	struct arena arena = { 0 };
	struct reader r = { problems, file, &arena, 0 };
	struct place list = { NULL, "entries", 0 };
	struct ss_review *review = NULL;
	struct head head = { 0 };
	const cJSON *found[KEY_COUNT];
	bool is_out_of_memory = false;
	size_t i = 0;

	if (check_kind(&r, root, SS_DOCUMENT_REVIEW) &&
	    read_object(&r, NULL, root, keys, KEY_COUNT, &head, found)) {
		review = ss_review_new(head.scenario ? head.scenario : "");
		is_out_of_memory = !review;
	}
	if (review && read_list_size(&r, &list, found[ENTRIES], ENTRIES_MAX))
		for (const cJSON *item = found[ENTRIES]->child; item; item = item->next) {
			struct place place = { &list, NULL, i++ };

			read_entry(&r, &place, item, review, &is_out_of_memory);
		}
	if (is_out_of_memory || arena.is_out_of_memory)
		report(&r, SS_ERROR, NULL, "memory", "out of memory");
	if (r.error_count) {
		ss_review_free(review);
		review = NULL;
	}
	arena_release(&arena);
	return review;
}

struct ss_review *ss_review_parse(const char *json, size_t length, const char *file,
				  struct ss_problems *problems)
{
	cJSON *root = json_parse(json, length, file, problems);
	struct ss_review *review = root ? review_read(root, file, problems) : NULL;

	cJSON_Delete(root);
	return review;
}

struct ss_review *ss_review_load(const char *path, struct ss_problems *problems)
{
	cJSON *root = json_load(path, problems);
	struct ss_review *review = root ? review_read(root, path, problems) : NULL;

	cJSON_Delete(root);
	return review;
}

/* -- writing -------------------------------------------------------------------------- */

static void put_text(struct buf *out, const char *text)
{
	buf_char(out, '"');
	for (; *text; text++) {
		if (*text == '"' || *text == '\\')
			buf_printf(out, "\\%c", *text);
		else if ((unsigned char)*text < 0x20)
			buf_printf(out, "\\u%04x", (unsigned)(unsigned char)*text);
		else
			buf_char(out, *text);
	}
	buf_char(out, '"');
}

/* What is empty is left out. */
static void put_pair(struct buf *out, const char *before, const char *key, const char *text)
{
	if (!*text)
		return;
	buf_printf(out, "%s\"%s\": ", before, key);
	put_text(out, text);
}

static void put_entry(struct buf *out, const struct ss_review_entry *entry)
{
	char number[40] = "0";

	buf_text(out, "    { \"name\": ");
	put_text(out, entry->name);
	buf_text(out, ",\n      \"value\": ");
	if (entry->has_value) {
		(void)number_text(number, sizeof(number), entry->value);
		buf_text(out, number);
	} else {
		put_text(out, entry->value_text);
	}
	put_pair(out, ", ", "units", entry->units);
	put_pair(out, ", ", "set", entry->set);
	buf_printf(out, ",\n      \"verdict\": \"%s\"", ss_judgement_name(entry->verdict));
	put_pair(out, ", ", "reviewer", entry->reviewer);
	put_pair(out, ", ", "date", entry->date);
	put_pair(out, ",\n      ", "note", entry->note);
	put_pair(out, ",\n      ", "scenario_sha256", entry->scenario_sha256);
	buf_text(out, " }");
}

char *ss_review_to_json(const struct ss_review *review)
{
	struct buf out = { 0 };

	buf_text(&out, "{\n  \"kind\": \"Review\",\n  \"format\": 1,\n  \"scenario\": ");
	put_text(&out, review->scenario);
	buf_text(&out, ",\n  \"entries\": [");
	for (size_t i = 0; i < review->count; i++) {
		buf_text(&out, i ? ",\n" : "\n");
		put_entry(&out, &review->entries[i]);
	}
	buf_text(&out, review->count ? "\n  ]\n}\n" : "]\n}\n");
	return buf_take(&out, NULL);
}
