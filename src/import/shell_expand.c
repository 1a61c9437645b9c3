/* What a `$` stands for: variables, arrays, defaults, sums. */
#include "import/shell_splitter.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DEPTH_MAX 8
/* Further off, what would close a substitution is not looked for. */
#define SUBSTITUTION_MAX 65536
/* A text of doubling variables is not let past this. */
#define EXPANDED_MAX ((size_t)32 * 1024 * 1024)
#define TOO_LARGE "the variables of the text grow past 32 MiB"

enum ss_status shell_copy_substitution(struct shell_splitter *s)
{
	size_t start = s->at, line = s->line, depth = 0;
	size_t end = s->length - start > SUBSTITUTION_MAX ? start + SUBSTITUTION_MAX : s->length;
	bool is_tick = s->text[s->at] == '`';
	enum ss_status rc;

	for (s->at += is_tick ? 1 : 0; s->at < end; s->at++) {
		char c = s->text[s->at];

		if (c == '\n')
			s->line++;
		if (c == '\\' && s->at + 1 < end)
			s->at++;
		else if (is_tick && c == '`')
			break;
		else if (!is_tick && c == '(')
			depth++;
		else if (!is_tick && c == ')' && --depth == 0)
			break;
	}
	if (s->at < end) {
		s->at++;
		return shell_word_add(s, s->text + start, s->at - start);
	}
	/* Never closed: the mark is text like any other. */
	s->at = start + 1;
	s->line = line;
	rc = shell_word_add(s, s->text + start, 1);
	return rc;
}

/**
 * Add a variable's value; outside quotes its blanks part words, as in a shell. The end of
 * a word may set the variable itself, `X=$X`, so a copy is gone through.
 */
static enum ss_status add_value(struct shell_splitter *s, const char *value, size_t length,
				bool is_quoted)
{
	enum ss_status rc = SS_OK;
	char *copy;

	s->expanded += length;
	if (s->expanded > EXPANDED_MAX)
		return shell_fail(s, s->line, TOO_LARGE);
	if (is_quoted)
		return shell_word_add(s, value, length);
	copy = strndup(value, length);
	if (!copy)
		return shell_no_memory(s);
	for (const char *c = copy; *c && !rc; c++) {
		if (*c == ' ' || *c == '\t' || *c == '\n')
			rc = shell_word_end(s);
		else
			rc = shell_word_add(s, c, 1);
	}
	free(copy);
	return rc;
}

static void free_texts(char **texts, size_t count)
{
	for (size_t i = 0; texts && i < count; i++)
		free(texts[i]);
	free(texts);
}

/* What it holds now, whatever becomes of it; NULL when out of memory. */
static char **copy_values(const struct shell_variable *variable)
{
	char **copy = calloc(variable->count + 1, sizeof(*copy));

	for (size_t i = 0; copy && i < variable->count; i++) {
		copy[i] = strdup(variable->values[i]);
		if (!copy[i]) {
			free_texts(copy, i);
			return NULL;
		}
	}
	return copy;
}

/** `"${ARGS[@]}"`: a word each. */
static enum ss_status add_array(struct shell_splitter *s, const struct shell_variable *variable,
				bool is_quoted)
{
	enum ss_status rc = SS_OK;
	size_t count = variable->count;
	char **values = copy_values(variable);

	if (!values)
		return shell_no_memory(s);
	if (!count && is_quoted && !s->word.length)
		s->is_void = true;
	for (size_t i = 0; i < count && !rc; i++) {
		if (i)
			rc = shell_word_end(s);
		if (!rc)
			rc = add_value(s, values[i], strlen(values[i]), is_quoted);
	}
	free_texts(values, count);
	return rc;
}

enum ss_status shell_expand_text(struct shell_splitter *s, const char *text, size_t length)
{
	struct shell_splitter outer = *s;
	enum ss_status rc = SS_OK;

	if (s->depth == DEPTH_MAX)
		return shell_word_add(s, text, length);
	s->text = text;
	s->length = length;
	s->at = 0;
	s->depth++;
	while (!rc && s->at < s->length) {
		char c = s->text[s->at], next = shell_peek(s, 1);

		if (c == '$') {
			rc = shell_expand(s, true);
		} else if (c == '\\' && next && strchr("$`\"\\", next)) {
			rc = shell_word_add(s, text + s->at + 1, 1);
			s->at += 2;
		} else if (c == '"' && s->depth > 1 && outer.depth) {
			s->at++; /* quotes of a default inside a default */
		} else {
			rc = shell_word_add(s, text + s->at, 1);
			s->at++;
		}
	}
	s->text = outer.text;
	s->length = outer.length;
	s->at = outer.at;
	s->line = outer.line;
	s->depth = outer.depth;
	return rc;
}

/** The default's text, its own quotes taken off, as words or one. */
static enum ss_status add_default(struct shell_splitter *s, const char *text, size_t length,
				  bool is_quoted)
{
	struct shell_text outer = s->word;
	bool had_word = s->has_word;
	size_t line = s->word_line;
	enum ss_status rc;
	struct shell_text value;

	if (length > 1 && (text[0] == '"' || text[0] == '\'') && text[length - 1] == text[0]) {
		if (text[0] == '\'')
			return add_value(s, text + 1, length - 2, true);
		text++;
		length -= 2;
	}
	s->word = (struct shell_text){ 0 };
	rc = shell_expand_text(s, text, length);
	value = s->word;
	s->word = outer;
	s->has_word = had_word;
	s->word_line = line;
	if (!rc)
		rc = add_value(s, value.data ? value.data : "", value.length, is_quoted);
	free(value.data);
	return rc;
}

/** Where the `}` of a `${` stands, `text` being past the brace; `length` when nowhere. */
static size_t brace_end(const char *text, size_t length)
{
	size_t depth = 1;

	for (size_t i = 0; i < length && text[i] != '\n'; i++) {
		if (text[i] == '\\')
			i++;
		else if (text[i] == '{')
			depth++;
		else if (text[i] == '}' && --depth == 0)
			return i;
	}
	return length;
}

/** `##*` and its kin on a value, for patterns of one star and plain text. */
static bool cut_value(const char **value, size_t *length, const char *operator, size_t size)
{
	bool is_front = operator[0] == '#', is_long = size > 1 && operator[1] == operator[0];
	const char *pattern = operator+(is_long ? 2 : 1);
	size_t n = size - (is_long ? 2 : 1);

	if (n && is_front && pattern[0] == '*') {
		pattern++;
		n--;
		for (size_t i = 0; n && i + n <= *length; i++) {
			size_t at = is_long ? *length - n - i : i;

			if (!memcmp(*value + at, pattern, n)) {
				*value += at + n;
				*length -= at + n;
				return true;
			}
		}
		return true;
	}
	if (n && !is_front && pattern[n - 1] == '*') {
		n--;
		for (size_t i = 0; n && i + n <= *length; i++) {
			size_t at = is_long ? i : *length - n - i;

			if (!memcmp(*value + at, pattern, n)) {
				*length = at;
				return true;
			}
		}
		return true;
	}
	if (memchr(pattern, '*', n) || memchr(pattern, '?', n) || memchr(pattern, '[', n))
		return false;
	if (is_front && n <= *length && !memcmp(*value, pattern, n)) {
		*value += n;
		*length -= n;
	} else if (!is_front && n <= *length && !memcmp(*value + *length - n, pattern, n)) {
		*length -= n;
	}
	return true;
}

/** `${...}`; `rest` is what stands between the braces. */
static enum ss_status expand_braces(struct shell_splitter *s, const char *rest, size_t length,
				    bool is_quoted)
{
	size_t n = shell_name_length(rest, length);
	const struct shell_variable *variable;
	const char *operator= rest + n, *value;
	size_t left, size;
	bool has_colon, is_set;

	/* A place of the command line, `${1:-8}`: never set here. */
	if (!n && length && rest[0] >= '0' && rest[0] <= '9') {
		while (n < length && rest[n] >= '0' && rest[n] <= '9')
			n++;
		operator= rest + n;
	}
	left = length - n;
	variable = n ? shell_variables_get(s->variables, rest, n) : NULL;
	if (n &&
	    left >= 3 &&
	    operator[0] == '[' &&(!strncmp(operator, "[@]", 3) || !strncmp(operator, "[*]", 3))) {
		if (variable && left == 3)
			return add_array(s, variable, is_quoted);
		left = variable ? left : 0;
	}
	if (n && variable && left > 2 && operator[0] == '[' && operator[left - 1] == ']') {
		size_t index = strtoul(operator+ 1, NULL, 10);

		if (index < variable->count)
			return add_value(s, variable->values[index],
					 strlen(variable->values[index]), is_quoted);
	}
	is_set = variable && variable->count;
	value = is_set ? variable->values[0] : "";
	if (is_set && !left)
		return add_value(s, value, strlen(value), is_quoted);
	has_colon = left && operator[0] == ':';
	if (has_colon) {
		operator++;
		left--;
		is_set = is_set && *value;
	}
	if (n && left && strchr("-=?", operator[0])) {
		if (is_set)
			return add_value(s, value, strlen(value), is_quoted);
		if (operator[0] == '=') {
			char *copy = strndup(operator+ 1, left - 1);
			bool is_kept =
				copy && shell_variables_set(s->variables, rest, n, copy, false);

			free(copy);
			if (!is_kept)
				return shell_no_memory(s);
		}
		if (operator[0] != '?')
			return add_default(s, operator+ 1, left - 1, is_quoted);
	} else if (n && left && operator[0] == '+') {
		return is_set ? add_default(s, operator+ 1, left - 1, is_quoted)
			      : add_value(s, "", 0, is_quoted);
	} else if (is_set && !has_colon && left > 1 && strchr("#%", operator[0])) {
		size = strlen(value);
		if (cut_value(&value, &size, operator, left))
			return add_value(s, value, size, is_quoted);
	}
	return shell_word_add(s, rest - 2, length + 3);
}

/* -- sums ------------------------------------------------------------------------------ */

struct sum {
	struct shell_splitter *s;
	const char *text;
	size_t length, at;
	bool is_known;
	unsigned depth;
};

static int64_t read_sum(struct sum *sum, int level);

static void skip_blanks(struct sum *sum)
{
	while (sum->at < sum->length && strchr(" \t\n", sum->text[sum->at]))
		sum->at++;
}

/** A number, a variable with or without its `$`, brackets, a sign. */
static int64_t read_factor(struct sum *sum)
{
	const struct shell_variable *variable;
	size_t brace = 0, n;
	int64_t value = 0;
	char *end = NULL;
	char c;

	skip_blanks(sum);
	c = sum->at < sum->length ? sum->text[sum->at] : '\0';
	if (c == '(' && sum->depth < DEPTH_MAX) {
		sum->at++;
		sum->depth++;
		value = read_sum(sum, 0);
		sum->depth--;
		skip_blanks(sum);
		sum->is_known &= sum->at < sum->length && sum->text[sum->at] == ')';
		sum->at++;
		return value;
	}
	if (c >= '0' && c <= '9') {
		for (; sum->at < sum->length && sum->text[sum->at] >= '0' &&
		       sum->text[sum->at] <= '9' && value < 1000000000;
		     sum->at++)
			value = value * 10 + (sum->text[sum->at] - '0');
		return value;
	}
	if (c == '$')
		sum->at++;
	if (sum->at < sum->length && c == '$' && sum->text[sum->at] == '{') {
		sum->at++;
		brace = brace_end(sum->text + sum->at, sum->length - sum->at) + 1;
	}
	n = shell_name_length(sum->text + sum->at, sum->length - sum->at);
	variable = n ? shell_variables_get(sum->s->variables, sum->text + sum->at, n) : NULL;
	if (variable && variable->count) {
		value = strtoll(variable->values[0], &end, 10);
		sum->is_known &= end != variable->values[0] && !*end && value < 1000000000;
	} else if (brace > n + 3 && sum->text[sum->at + n] == ':' &&
		   sum->text[sum->at + n + 1] == '-') {
		value = strtoll(sum->text + sum->at + n + 2, &end, 10);
		sum->is_known &= end == sum->text + sum->at + brace - 1;
	} else {
		sum->is_known = false;
	}
	sum->at += brace ? brace : n;
	return value;
}

/** Level 0 adds, level 1 multiplies. */
static int64_t read_sum(struct sum *sum, int level)
{
	static const char *const operators[] = { "+-", "*/%" };
	int64_t left = level ? read_factor(sum) : read_sum(sum, 1), right;

	for (;;) {
		char c;

		skip_blanks(sum);
		c = sum->at < sum->length ? sum->text[sum->at] : '\0';
		if (!c || !strchr(operators[level], c) || !sum->is_known)
			return left;
		sum->at++;
		right = level ? read_factor(sum) : read_sum(sum, 1);
		if ((c == '/' || c == '%') && right == 0)
			sum->is_known = false;
		else if (c == '+')
			left += right;
		else if (c == '-')
			left -= right;
		else if (c == '*')
			left *= right;
		else
			left = c == '/' ? left / right : left % right;
		sum->is_known &= left < INT32_MAX && left > -INT32_MAX;
	}
}

/** `$((...))`; false when it is none or holds what is not known. */
static bool expand_sum(struct shell_splitter *s, enum ss_status *rc)
{
	const char *text = s->text + s->at + 3;
	size_t left = s->length - s->at - 3, end = 0;
	struct sum sum = { .s = s, .text = text, .is_known = true };
	char number[32];
	int64_t value;

	while (end + 1 < left && !(text[end] == ')' && text[end + 1] == ')') && text[end] != '\n')
		end++;
	if (end + 1 >= left || text[end] != ')')
		return false;
	sum.length = end;
	value = read_sum(&sum, 0);
	skip_blanks(&sum);
	if (!sum.is_known || sum.at != sum.length)
		return false;
	(void)snprintf(number, sizeof(number), "%lld", (long long)value);
	s->at += end + 5;
	*rc = shell_word_add(s, number, strlen(number));
	return true;
}

enum ss_status shell_expand(struct shell_splitter *s, bool is_quoted)
{
	const char *rest = s->text + s->at + 1;
	size_t left = s->length - s->at - 1, n, end;
	const struct shell_variable *variable;
	enum ss_status rc = SS_OK;

	if (left > 2 && rest[0] == '(' && rest[1] == '(' && expand_sum(s, &rc))
		return rc;
	/* Of containers `$(NAME)` is a variable, filled in before any shell sees it. */
	n = left && rest[0] == '(' ? shell_name_length(rest + 1, left - 1) : 0;
	variable = n && n + 1 < left && rest[n + 1] == ')'
			   ? shell_variables_get(s->variables, rest + 1, n)
			   : NULL;
	if (variable && variable->count) {
		s->at += n + 3;
		return add_value(s, variable->values[0], strlen(variable->values[0]), is_quoted);
	}
	if (left && rest[0] == '(')
		return shell_copy_substitution(s);
	if (left && rest[0] == '{') {
		end = brace_end(rest + 1, left - 1);
		if (end < left - 1) {
			s->at += end + 3;
			return expand_braces(s, rest + 1, end, is_quoted);
		}
	}
	n = shell_name_length(rest, left);
	variable = n ? shell_variables_get(s->variables, rest, n) : NULL;
	s->at += n + 1;
	if (variable && variable->count)
		return add_value(s, variable->values[0], strlen(variable->values[0]), is_quoted);
	return shell_word_add(s, rest - 1, n + 1);
}
