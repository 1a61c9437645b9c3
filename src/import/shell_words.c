#include "import/shell_words.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/** Text that grows; kept terminated once anything was added. */
struct text {
	char *data;
	size_t length, capacity;
};

struct variable {
	char *name, *value;
};

struct splitter {
	const char *text;
	size_t length, at, line;
	struct shell_words *out;
	struct text word;
	size_t word_line;
	bool has_word;         /**< a word was begun, be it empty quotes */
	bool is_dropped;       /**< the word is a redirection's target */
	bool is_command_start; /**< only assignments so far */
	struct variable *variables;
	size_t variable_count;
	struct ss_error *err;
};

static enum ss_status fail_at(struct splitter *s, size_t line, const char *message)
{
	char where[32];

	snprintf(where, sizeof(where), "line %zu", line);
	return ss_fail(s->err, SS_EUSAGE, where, "%s", message);
}

static enum ss_status no_memory(struct splitter *s)
{
	return ss_fail(s->err, SS_ENOMEM, "", "out of memory");
}

static enum ss_status text_add(struct splitter *s, struct text *t, const char *data, size_t length)
{
	if (t->capacity - t->length <= length) {
		size_t capacity = t->capacity ? t->capacity * 2 : 64;
		char *grown;

		if (capacity - t->length <= length)
			capacity = t->length + length + 1;
		grown = realloc(t->data, capacity);
		if (!grown)
			return no_memory(s);
		t->data = grown;
		t->capacity = capacity;
	}
	memcpy(t->data + t->length, data, length);
	t->length += length;
	t->data[t->length] = '\0';
	return SS_OK;
}

static enum ss_status word_add(struct splitter *s, const char *data, size_t length)
{
	if (!s->has_word) {
		s->has_word = true;
		s->word_line = s->line;
	}
	return text_add(s, &s->word, data, length);
}

static enum ss_status item_add(struct splitter *s, enum shell_word_kind kind, const char *text,
			       size_t length, size_t line)
{
	struct shell_words *w = s->out;

	if (w->count == w->capacity) {
		size_t capacity = w->capacity ? w->capacity * 2 : 32;
		struct shell_word *grown = realloc(w->items, capacity * sizeof(*grown));

		if (!grown)
			return no_memory(s);
		w->items = grown;
		w->capacity = capacity;
	}
	w->items[w->count] = (struct shell_word){ .kind = kind, .line = line };
	w->items[w->count].text = strndup(text, length);
	if (!w->items[w->count].text)
		return no_memory(s);
	w->count++;
	return SS_OK;
}

static bool is_name_char(char c, bool is_first)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
	       (!is_first && c >= '0' && c <= '9');
}

static size_t name_length(const char *text, size_t length)
{
	size_t n = 0;

	while (n < length && is_name_char(text[n], n == 0))
		n++;
	return n;
}

static const char *variable_value(const struct splitter *s, const char *name, size_t length)
{
	for (size_t i = s->variable_count; i-- > 0;) {
		if (strlen(s->variables[i].name) == length &&
		    !memcmp(s->variables[i].name, name, length))
			return s->variables[i].value;
	}
	return NULL;
}

/** Keep `NAME=VALUE` for the variables that follow. */
static enum ss_status assign(struct splitter *s, const char *word)
{
	size_t n = name_length(word, strlen(word));
	struct variable *grown;

	if (!n || word[n] != '=')
		return SS_OK;
	grown = realloc(s->variables, (s->variable_count + 1) * sizeof(*grown));
	if (!grown)
		return no_memory(s);
	s->variables = grown;
	grown[s->variable_count] =
		(struct variable){ .name = strndup(word, n), .value = strdup(word + n + 1) };
	s->variable_count++;
	if (!grown[s->variable_count - 1].name || !grown[s->variable_count - 1].value)
		return no_memory(s);
	return SS_OK;
}

static enum ss_status word_end(struct splitter *s)
{
	enum ss_status rc = SS_OK;
	const char *text = s->word.data ? s->word.data : "";

	if (!s->has_word)
		return SS_OK;
	if (!s->is_dropped) {
		rc = item_add(s, SHELL_WORD, text, s->word.length, s->word_line);
		if (!rc && s->is_command_start) {
			size_t n = name_length(text, s->word.length);
			bool is_assignment = n && text[n] == '=';

			if (is_assignment)
				rc = assign(s, text);
			else if (strcmp(text, "export") != 0 && strcmp(text, "env") != 0)
				s->is_command_start = false;
		}
	}
	s->has_word = false;
	s->is_dropped = false;
	s->word.length = 0;
	if (s->word.data)
		s->word.data[0] = '\0';
	return rc;
}

static enum ss_status command_end(struct splitter *s)
{
	enum ss_status rc = word_end(s);
	const struct shell_words *w = s->out;

	s->is_command_start = true;
	s->is_dropped = false;
	if (rc || !w->count || w->items[w->count - 1].kind != SHELL_WORD)
		return rc;
	return item_add(s, SHELL_END, "", 0, s->line);
}

static char peek(const struct splitter *s, size_t ahead)
{
	return s->length - s->at > ahead ? s->text[s->at + ahead] : '\0';
}

/** Copy `$(...)` or backticks as written: what they would print is not known. */
static enum ss_status copy_substitution(struct splitter *s)
{
	size_t start = s->at, line = s->line, depth = 0;
	bool is_tick = s->text[s->at] == '`';

	for (s->at += is_tick ? 1 : 0; s->at < s->length; s->at++) {
		char c = s->text[s->at];

		if (c == '\n')
			s->line++;
		if (c == '\\' && s->at + 1 < s->length)
			s->at++;
		else if (is_tick && c == '`')
			break;
		else if (!is_tick && c == '(')
			depth++;
		else if (!is_tick && c == ')' && --depth == 0)
			break;
	}
	if (s->at >= s->length)
		return fail_at(s, line, "a command substitution is not closed");
	s->at++;
	return word_add(s, s->text + start, s->at - start);
}

/** Add a variable's value; outside quotes its blanks part words, as in a shell. */
static enum ss_status add_value(struct splitter *s, const char *value, size_t length,
				bool is_quoted)
{
	enum ss_status rc = SS_OK;

	if (is_quoted)
		return word_add(s, value, length);
	for (size_t i = 0; i < length && !rc; i++) {
		if (value[i] == ' ' || value[i] == '\t' || value[i] == '\n')
			rc = word_end(s);
		else
			rc = word_add(s, value + i, 1);
	}
	return rc;
}

/** `$NAME`, `${NAME}`, `${NAME:-default}`, `$(...)`; anything else stays as it is. */
static enum ss_status expand(struct splitter *s, bool is_quoted)
{
	const char *rest = s->text + s->at + 1;
	size_t left = s->length - s->at - 1;
	const char *value;
	size_t n, end;

	if (left && rest[0] == '(')
		return copy_substitution(s);
	if (left && rest[0] == '{') {
		for (end = 1; end < left && rest[end] != '}' && rest[end] != '\n'; end++)
			;
		if (end == left || rest[end] != '}')
			return fail_at(s, s->line, "${ is not closed by }");
		n = name_length(rest + 1, end - 1);
		value = n ? variable_value(s, rest + 1, n) : NULL;
		s->at += end + 2;
		if (value && (n == end - 1 || rest[1 + n] == ':' || rest[1 + n] == '-'))
			return add_value(s, value, strlen(value), is_quoted);
		if (n && !value && end > n + 3 && rest[1 + n] == ':' && rest[2 + n] == '-')
			return add_value(s, rest + 3 + n, end - n - 3, is_quoted);
		return word_add(s, rest - 1, end + 2);
	}
	n = name_length(rest, left);
	value = n ? variable_value(s, rest, n) : NULL;
	s->at += n + 1;
	return value ? add_value(s, value, strlen(value), is_quoted) : word_add(s, rest - 1, n + 1);
}

/** Length of a line's end at `at`: 1, or 2 with a carriage return; 0 when there is none. */
static size_t newline_length(const struct splitter *s, size_t ahead)
{
	if (peek(s, ahead) == '\n')
		return 1;
	return peek(s, ahead) == '\r' && peek(s, ahead + 1) == '\n' ? 2 : 0;
}

static enum ss_status backslash(struct splitter *s)
{
	size_t n = newline_length(s, 1), blanks = 1;

	if (n) {
		s->at += 1 + n;
		s->line++;
		return SS_OK;
	}
	if (s->at + 1 >= s->length) {
		s->at++;
		return SS_OK;
	}
	while (peek(s, blanks) == ' ' || peek(s, blanks) == '\t')
		blanks++;
	if (blanks > 1 && (newline_length(s, blanks) || s->at + blanks >= s->length))
		return fail_at(s, s->line,
			       "a blank follows the last backslash, so a shell ends the command "
			       "here; remove the blank");
	s->at += 2;
	return word_add(s, s->text + s->at - 1, 1);
}

static enum ss_status single_quotes(struct splitter *s)
{
	size_t line = s->line, start = ++s->at;
	enum ss_status rc = word_add(s, "", 0);

	while (s->at < s->length && s->text[s->at] != '\'') {
		if (s->text[s->at] == '\n')
			s->line++;
		s->at++;
	}
	if (rc)
		return rc;
	if (s->at >= s->length)
		return fail_at(s, line, "a single quote is not closed");
	s->at++;
	return word_add(s, s->text + start, s->at - 1 - start);
}

static enum ss_status double_quotes(struct splitter *s)
{
	size_t line = s->line;
	enum ss_status rc = word_add(s, "", 0);

	for (s->at++; !rc && s->at < s->length && s->text[s->at] != '"';) {
		char c = s->text[s->at], next = peek(s, 1);
		size_t n = c == '\\' ? newline_length(s, 1) : 0;

		if (n) {
			s->at += 1 + n;
			s->line++;
		} else if (c == '\\' && next && strchr("$`\"\\", next)) {
			rc = word_add(s, s->text + s->at + 1, 1);
			s->at += 2;
		} else if (c == '$') {
			rc = expand(s, true);
		} else if (c == '`') {
			rc = copy_substitution(s);
		} else {
			if (c == '\n')
				s->line++;
			rc = word_add(s, s->text + s->at, 1);
			s->at++;
		}
	}
	if (rc)
		return rc;
	if (s->at >= s->length)
		return fail_at(s, line, "a double quote is not closed");
	s->at++;
	return SS_OK;
}

static enum ss_status comment(struct splitter *s)
{
	size_t start = s->at + 1, end;

	while (s->at < s->length && s->text[s->at] != '\n')
		s->at++;
	end = s->at;
	if (end > start && s->text[end - 1] == '\r')
		end--;
	return item_add(s, SHELL_COMMENT, s->text + start, end - start, s->line);
}

static bool is_digits(const char *text)
{
	return *text && strspn(text, "0123456789") == strlen(text);
}

/** `>`, `2>&1`, `<`: the operator, its number and its target are no words of the command. */
static enum ss_status redirection(struct splitter *s)
{
	enum ss_status rc;

	if (peek(s, 0) == '<' && peek(s, 1) == '<')
		return fail_at(s, s->line,
			       "a here-document is not read; put the words on the command line");
	if (s->has_word && is_digits(s->word.data))
		s->is_dropped = true;
	rc = word_end(s);
	while (s->at < s->length && strchr("<>&|", s->text[s->at]))
		s->at++;
	s->is_dropped = true;
	return rc;
}

static enum ss_status step(struct splitter *s)
{
	char c = s->text[s->at];
	enum ss_status rc;

	switch (c) {
	case '\0':
		return fail_at(s, s->line, "a NUL byte: this is not text");
	case '\\':
		return backslash(s);
	case '\'':
		return single_quotes(s);
	case '"':
		return double_quotes(s);
	case '$':
		return expand(s, false);
	case '`':
		return copy_substitution(s);
	case '<':
	case '>':
		return redirection(s);
	case '#':
		if (!s->has_word)
			return comment(s);
		break;
	case '&':
		if (peek(s, 1) == '>') { /* `&> file`, both outputs */
			s->at++;
			return redirection(s);
		}
		s->at++;
		return command_end(s);
	case '\n':
		rc = command_end(s);
		s->line++;
		s->at++;
		return rc;
	case ';':
	case '|':
	case '(':
	case ')':
		s->at++;
		return command_end(s);
	case '\r':
	case ' ':
	case '\t':
		s->at++;
		if (!s->has_word) /* blanks between `>` and its target */
			return SS_OK;
		return word_end(s);
	default:
		break;
	}
	s->at++;
	return word_add(s, s->text + s->at - 1, 1);
}

enum ss_status shell_words_split(struct shell_words *out, const char *text, size_t length,
				 struct ss_error *err)
{
	struct splitter s = { .text = text,
			      .length = length,
			      .line = 1,
			      .out = out,
			      .is_command_start = true,
			      .err = err };
	enum ss_status rc = SS_OK;

	*out = (struct shell_words){ 0 };
	while (!rc && s.at < s.length)
		rc = step(&s);
	if (!rc)
		rc = command_end(&s);
	for (size_t i = 0; i < s.variable_count; i++) {
		free(s.variables[i].name);
		free(s.variables[i].value);
	}
	free(s.variables);
	free(s.word.data);
	if (rc)
		shell_words_release(out);
	return rc;
}

void shell_words_release(struct shell_words *words)
{
	for (size_t i = 0; i < words->count; i++)
		free(words->items[i].text);
	free(words->items);
	*words = (struct shell_words){ 0 };
}

void shell_quote(FILE *out, const char *text)
{
	static const char safe[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
				   "_-+=./:,@%";

	if (*text && strspn(text, safe) == strlen(text)) {
		fputs(text, out);
		return;
	}
	putc('\'', out);
	for (; *text; text++) {
		if (*text == '\'')
			fputs("'\\''", out);
		else
			putc(*text, out);
	}
	putc('\'', out);
}
