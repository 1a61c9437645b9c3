#include "documents/json.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A walk over the text. The first fault found ends it. */
struct scan {
	const char *start, *at, *end;
	size_t value_count;
	const char *code;
	char fault[128];
};

static bool scan_value(struct scan *s, int depth);

static bool fault(struct scan *s, const char *code, const char *wanted)
{
	char found[32];

	if (s->at >= s->end)
		(void)snprintf(found, sizeof(found), "the end of the text");
	else if ((unsigned char)*s->at < 0x20 || (unsigned char)*s->at >= 0x7f)
		(void)snprintf(found, sizeof(found), "byte 0x%02x",
			       (unsigned)(unsigned char)*s->at);
	else
		(void)snprintf(found, sizeof(found), "'%c'", *s->at);
	s->code = code;
	(void)snprintf(s->fault, sizeof(s->fault), "found %s, wants %s", found, wanted);
	return false;
}

static bool limit(struct scan *s, const char *what)
{
	s->code = "limit";
	(void)snprintf(s->fault, sizeof(s->fault), "%s", what);
	return false;
}

static void skip_blanks(struct scan *s)
{
	while (s->at < s->end &&
	       (*s->at == ' ' || *s->at == '\n' || *s->at == '\t' || *s->at == '\r'))
		s->at++;
}

static bool is_digit(const struct scan *s)
{
	return s->at < s->end && *s->at >= '0' && *s->at <= '9';
}

static bool scan_digits(struct scan *s)
{
	if (!is_digit(s))
		return fault(s, "syntax", "a digit");
	while (is_digit(s))
		s->at++;
	return true;
}

static bool scan_number(struct scan *s)
{
	const char *start = s->at;

	if (*s->at == '-')
		s->at++;
	if (s->at < s->end && *s->at == '0')
		s->at++;
	else if (!scan_digits(s))
		return false;
	if (s->at < s->end && *s->at == '.') {
		s->at++;
		if (!scan_digits(s))
			return false;
	}
	if (s->at < s->end && (*s->at == 'e' || *s->at == 'E')) {
		s->at++;
		if (s->at < s->end && (*s->at == '+' || *s->at == '-'))
			s->at++;
		if (!scan_digits(s))
			return false;
	}
	if (s->at - start > JSON_NUMBER_MAX) {
		s->at = start;
		return limit(s, "a number of more than 60 characters");
	}
	return true;
}

size_t utf8_length(const char *at, const char *end)
{
	const unsigned char *c = (const unsigned char *)at;
	size_t length = c[0] < 0x80   ? 1
			: c[0] < 0xc2 ? 0
			: c[0] < 0xe0 ? 2
			: c[0] < 0xf0 ? 3
			: c[0] < 0xf5 ? 4
				      : 0;

	if (length > (size_t)(end - at))
		return 0;
	for (size_t i = 1; i < length; i++)
		if ((c[i] & 0xc0) != 0x80)
			return 0;
	if ((c[0] == 0xe0 && c[1] < 0xa0) || (c[0] == 0xed && c[1] > 0x9f) ||
	    (c[0] == 0xf0 && c[1] < 0x90) || (c[0] == 0xf4 && c[1] > 0x8f))
		return 0;
	return length;
}

static bool scan_hex(struct scan *s, unsigned *value)
{
	*value = 0;
	for (int i = 0; i < 4; i++, s->at++) {
		char c = s->at < s->end ? *s->at : '\0';
		unsigned digit = c >= '0' && c <= '9'   ? (unsigned)(c - '0')
				 : c >= 'a' && c <= 'f' ? (unsigned)(c - 'a' + 10)
				 : c >= 'A' && c <= 'F' ? (unsigned)(c - 'A' + 10)
							: 16u;

		if (digit > 15)
			return fault(s, "syntax", "four hexadecimal digits");
		*value = *value * 16 + digit;
	}
	return true;
}

static bool scan_escape(struct scan *s)
{
	unsigned high, low;

	s->at++;
	if (s->at >= s->end || !strchr("\"\\/bfnrtu", *s->at) || !*s->at)
		return fault(s, "syntax", "an escape of JSON after the backslash");
	if (*s->at++ != 'u')
		return true;
	if (!scan_hex(s, &high))
		return false;
	if (high == 0)
		return fault(s, "syntax", "no NUL character in a text");
	if (high >= 0xdc00 && high <= 0xdfff)
		return fault(s, "syntax", "the first half of a surrogate pair before the second");
	if (high < 0xd800 || high > 0xdbff)
		return true;
	if (s->end - s->at < 2 || s->at[0] != '\\' || s->at[1] != 'u')
		return fault(s, "syntax", "the second half of a surrogate pair");
	s->at += 2;
	if (!scan_hex(s, &low))
		return false;
	if (low < 0xdc00 || low > 0xdfff)
		return fault(s, "syntax", "the second half of a surrogate pair");
	return true;
}

/* Most of most texts: ASCII with no meaning of its own. */
static inline bool is_plain(char c)
{
	return c >= 0x20 && (unsigned char)c < 0x80 && c != '"' && c != '\\';
}

#define EACH_BYTE(value) (UINT64_C(0x0101010101010101) * (value))

/* Has one of eight bytes a zero? */
static inline uint64_t has_zero(uint64_t word)
{
	return (word - EACH_BYTE(1)) & ~word & EACH_BYTE(0x80);
}

/* Past the plain bytes: eight at a time while all of them are. */
static const char *skip_plain(const char *at, const char *end)
{
	for (; end - at >= 8; at += 8) {
		uint64_t word;

		memcpy(&word, at, sizeof(word));
		if ((word & EACH_BYTE(0x80)) | has_zero(word & EACH_BYTE(0xe0)) |
		    has_zero(word ^ EACH_BYTE('"')) | has_zero(word ^ EACH_BYTE('\\')))
			break;
	}
	while (at < end && is_plain(*at))
		at++;
	return at;
}

static bool scan_text(struct scan *s)
{
	s->at++;
	for (;;) {
		unsigned char c;
		size_t length;

		s->at = skip_plain(s->at, s->end);
		if (s->at >= s->end)
			return fault(s, "syntax", "a closing quote");
		c = (unsigned char)*s->at;

		if (c == '"') {
			s->at++;
			return true;
		}
		if (c == '\\') {
			if (!scan_escape(s))
				return false;
			continue;
		}
		if (c < 0x20)
			return fault(s, "syntax", "an escape for a control character");
		length = utf8_length(s->at, s->end);
		if (!length)
			return fault(s, "syntax", "valid UTF-8");
		s->at += length;
	}
}

static bool scan_word(struct scan *s, const char *word)
{
	size_t length = strlen(word);

	if ((size_t)(s->end - s->at) < length || memcmp(s->at, word, length) != 0)
		return fault(s, "syntax",
			     "a JSON value (text in double quotes, number, true, false, "
			     "null, list or object)");
	s->at += length;
	return true;
}

static bool scan_member(struct scan *s, int depth)
{
	skip_blanks(s);
	if (s->at >= s->end || *s->at != '"')
		return fault(s, "syntax", "a key in double quotes");
	if (!scan_text(s))
		return false;
	skip_blanks(s);
	if (s->at >= s->end || *s->at != ':')
		return fault(s, "syntax", "':' after a key");
	s->at++;
	return scan_value(s, depth);
}

static bool scan_container(struct scan *s, int depth)
{
	bool is_object = *s->at == '{';
	char close = is_object ? '}' : ']';

	if (depth > JSON_DEPTH_MAX)
		return limit(s, "nested more than 64 deep");
	s->at++;
	skip_blanks(s);
	if (s->at < s->end && *s->at == close) {
		s->at++;
		return true;
	}
	for (;;) {
		if (!(is_object ? scan_member(s, depth) : scan_value(s, depth)))
			return false;
		skip_blanks(s);
		if (s->at < s->end && *s->at == close) {
			s->at++;
			return true;
		}
		if (s->at >= s->end || *s->at != ',')
			return fault(s, "syntax", is_object ? "',' or '}'" : "',' or ']'");
		s->at++;
	}
}

static bool scan_value(struct scan *s, int depth)
{
	skip_blanks(s);
	if (++s->value_count > JSON_VALUES_MAX)
		return limit(s, "more than 2000000 values");
	if (s->at >= s->end)
		return fault(s, "syntax", "a JSON value");
	switch (*s->at) {
	case '{':
	case '[':
		return scan_container(s, depth + 1);
	case '"':
		return scan_text(s);
	case 't':
		return scan_word(s, "true");
	case 'f':
		return scan_word(s, "false");
	case 'n':
		return scan_word(s, "null");
	default:
		if (*s->at == '-' || is_digit(s))
			return scan_number(s);
		return scan_word(s, "null");
	}
}

static bool scan_document(struct scan *s)
{
	if (!scan_value(s, 0))
		return false;
	skip_blanks(s);
	if (s->at < s->end)
		return fault(s, "syntax", "nothing after the document");
	return true;
}

static void report_fault(const struct scan *s, const char *file, struct ss_problems *problems)
{
	size_t line = 1, column = 1;

	for (const char *c = s->start; c < s->at; c++) {
		if (*c == '\n') {
			line++;
			column = 1;
		} else if (((unsigned char)*c & 0xc0) != 0x80) {
			column++;
		}
	}
	(void)ss_problems_add(problems, SS_ERROR, s->code, file, "", "line %zu, column %zu: %s",
			      line, column, s->fault);
}

static void report_size(const char *file, struct ss_problems *problems)
{
	(void)ss_problems_add(problems, SS_ERROR, "limit", file, "",
			      "more than 64 MiB; a document may hold 64 MiB at most");
}

cJSON *json_parse(const char *text, size_t length, const char *file, struct ss_problems *problems)
{
	struct scan s = { .start = text, .at = text, .end = text + length };
	cJSON *root;

	if (length > JSON_SIZE_MAX) {
		report_size(file, problems);
		return NULL;
	}
	if (!scan_document(&s)) {
		report_fault(&s, file, problems);
		return NULL;
	}
	root = cJSON_ParseWithLength(text, length);
	if (!root)
		(void)ss_problems_add(problems, SS_ERROR, "memory", file, "", "out of memory");
	return root;
}

static void *read_failed(const char *path, int error, struct ss_problems *problems)
{
	(void)ss_problems_add(problems, SS_ERROR, "io", path, "", "cannot be read: %s",
			      strerror(error));
	return NULL;
}

/* Reads to the end, whatever size the file claims: it may be a pipe. */
static char *read_all(int fd, size_t hint, const char *path, size_t *length,
		      struct ss_problems *problems)
{
	size_t size = hint + 1, used = 0;
	char *text = malloc(size + 1);

	while (text) {
		ssize_t got = read(fd, text + used, size - used);

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0) {
			free(text);
			return read_failed(path, errno, problems);
		}
		if (got == 0) {
			text[used] = '\0';
			*length = used;
			return text;
		}
		used += (size_t)got;
		if (used > JSON_SIZE_MAX) {
			report_size(path, problems);
			free(text);
			return NULL;
		}
		if (used == size) {
			char *larger = realloc(text, size * 2 + 1);

			if (!larger)
				free(text);
			text = larger;
			size *= 2;
		}
	}
	(void)ss_problems_add(problems, SS_ERROR, "memory", path, "", "out of memory");
	return NULL;
}

char *json_read_file(const char *path, size_t *length, struct ss_problems *problems)
{
	struct stat st;
	char *text = NULL;
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);

	if (fd < 0)
		return read_failed(path, errno, problems);
	if (fstat(fd, &st) != 0)
		(void)read_failed(path, errno, problems);
	else if (S_ISDIR(st.st_mode))
		(void)ss_problems_add(problems, SS_ERROR, "io", path, "",
				      "cannot be read: it is a folder, wants a JSON file");
	else if (S_ISREG(st.st_mode) && st.st_size > JSON_SIZE_MAX)
		report_size(path, problems);
	else
		text = read_all(fd, S_ISREG(st.st_mode) ? (size_t)st.st_size : 65535, path, length,
				problems);
	(void)close(fd);
	return text;
}

cJSON *json_load(const char *path, struct ss_problems *problems)
{
	size_t length = 0;
	char *text = json_read_file(path, &length, problems);
	cJSON *root;

	if (!text)
		return NULL;
	root = json_parse(text, length, path, problems);
	free(text);
	return root;
}
