#include "import/shell_words.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "import/shell_splitter.h"

enum ss_status shell_fail(struct shell_splitter *s, size_t line, const char *message)
{
	char where[32];

	snprintf(where, sizeof(where), "line %zu", line);
	return ss_fail(s->err, SS_EUSAGE, where, "%s", message);
}

enum ss_status shell_no_memory(struct shell_splitter *s)
{
	return ss_fail(s->err, SS_ENOMEM, "", "out of memory");
}

static enum ss_status text_add(struct shell_splitter *s, struct shell_text *t, const char *data,
			       size_t length)
{
	if (t->capacity - t->length <= length) {
		size_t capacity = t->capacity ? t->capacity * 2 : 64;
		char *grown;

		if (capacity - t->length <= length)
			capacity = t->length + length + 1;
		grown = realloc(t->data, capacity);
		if (!grown)
			return shell_no_memory(s);
		t->data = grown;
		t->capacity = capacity;
	}
	memcpy(t->data + t->length, data, length);
	t->length += length;
	t->data[t->length] = '\0';
	return SS_OK;
}

enum ss_status shell_word_add(struct shell_splitter *s, const char *data, size_t length)
{
	if (!s->has_word) {
		s->has_word = true;
		s->word_line = s->line;
	}
	return text_add(s, &s->word, data, length);
}

enum ss_status shell_item_add(struct shell_splitter *s, enum shell_word_kind kind, const char *text,
			      size_t length, size_t line)
{
	struct shell_words *w = s->out;

	if (w->count == w->capacity) {
		size_t capacity = w->capacity ? w->capacity * 2 : 32;
		struct shell_word *grown = realloc(w->items, capacity * sizeof(*grown));

		if (!grown)
			return shell_no_memory(s);
		w->items = grown;
		w->capacity = capacity;
	}
	w->items[w->count] = (struct shell_word){ .kind = kind, .line = line };
	w->items[w->count].text = strndup(text, length);
	if (!w->items[w->count].text)
		return shell_no_memory(s);
	w->count++;
	return SS_OK;
}

static enum ss_status note(struct shell_splitter *s, size_t line, const char *text)
{
	return shell_item_add(s, SHELL_NOTE, text, strlen(text), line);
}

static bool is_name_char(char c, bool is_first)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
	       (!is_first && c >= '0' && c <= '9');
}

size_t shell_name_length(const char *text, size_t length)
{
	size_t n = 0;

	while (n < length && is_name_char(text[n], n == 0))
		n++;
	return n;
}

/** Length of the name in `NAME=...` or `NAME+=...`; 0 when the word is no assignment. */
static size_t assigned_name(const char *word, size_t length, bool *is_appended)
{
	size_t n = shell_name_length(word, length);

	*is_appended = n && n + 1 < length && word[n] == '+' && word[n + 1] == '=';
	return n && (*is_appended || (n < length && word[n] == '=')) ? n : 0;
}

/** Words ahead of which, or behind which, assignments still stand. */
static bool is_neutral(const char *word)
{
	static const char *const words[] = { "export",  "env",  "local", "declare", "readonly",
					     "typeset", "{",    "then",  "do",      "else",
					     "exec",    "sudo", "nohup", "time",    "!" };

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		if (!strcmp(word, words[i]))
			return true;
	}
	return false;
}

/** `$1`, `$OPTARG`: what the caller may give, so that what was set before is its default. */
static bool is_argument(const char *value)
{
	bool has_brace = value[0] == '$' && value[1] == '{';
	const char *name = value + (has_brace ? 2 : 1);
	size_t n = value[0] == '$' ? strspn(name, "0123456789") : 0;

	if (value[0] == '$' && !strncmp(name, "OPTARG", 6))
		n = 6;
	return n && !strcmp(name + n, has_brace ? "}" : "");
}

/** A word ahead of the command proper: keep what it assigns. */
static enum ss_status take_start(struct shell_splitter *s, const char *text, size_t length)
{
	bool is_appended;
	size_t n = assigned_name(text, length, &is_appended);

	if (n) {
		const char *value = text + n + (is_appended ? 2 : 1);

		if (is_argument(value))
			return SS_OK;
		return shell_variables_set(s->variables, text, n, value, is_appended)
			       ? SS_OK
			       : shell_no_memory(s);
	}
	if (!is_neutral(text) && !(text[0] == '-' && s->out->count > s->command_first + 1))
		s->is_command_start = false;
	return SS_OK;
}

static enum ss_status finish_word(struct shell_splitter *s, const char *text)
{
	enum ss_status rc = SS_OK;

	if (s->is_void && !s->word.length)
		return SS_OK;
	if (s->array)
		return shell_variables_add(s->variables, s->array, strlen(s->array), text)
			       ? SS_OK
			       : shell_no_memory(s);
	if (s->is_dropped) {
		if (s->is_output) {
			free(s->output_file);
			s->output_file = strdup(text);
			if (!s->output_file)
				rc = shell_no_memory(s);
		}
		return rc;
	}
	/* A prompt is no word of the command. */
	if (s->is_command_start && s->out->count == s->command_first &&
	    (!strcmp(text, "$") || !strcmp(text, "%")))
		return SS_OK;
	rc = shell_item_add(s, SHELL_WORD, text, s->word.length, s->word_line);
	if (!rc && s->is_command_start)
		rc = take_start(s, text, s->word.length);
	return rc;
}

enum ss_status shell_word_end(struct shell_splitter *s)
{
	enum ss_status rc;

	if (!s->has_word)
		return SS_OK;
	rc = finish_word(s, s->word.data ? s->word.data : "");
	s->has_word = false;
	s->is_void = false;
	s->is_dropped = false;
	s->is_output = false;
	s->word.length = 0;
	if (s->word.data)
		s->word.data[0] = '\0';
	return rc;
}

/** `for NAME in VALUE ...`: the loop's first value stands for all. */
static enum ss_status take_loop(struct shell_splitter *s)
{
	const struct shell_word *words = s->out->items + s->command_first;
	size_t count = s->out->count - s->command_first, n, line;

	if (count < 4 || strcmp(words[0].text, "for") != 0 || strcmp(words[2].text, "in") != 0)
		return SS_OK;
	n = strlen(words[1].text);
	line = words[0].line;
	if (shell_name_length(words[1].text, n) != n)
		return SS_OK;
	if (!shell_variables_set(s->variables, words[1].text, n, words[3].text, false))
		return shell_no_memory(s);
	return count > 4 ? note(s, line, "of the loop's values the first is taken") : SS_OK;
}

static enum ss_status command_end(struct shell_splitter *s)
{
	enum ss_status rc = shell_word_end(s);
	bool has_words = s->out->count > s->command_first;

	s->is_dropped = false;
	s->is_output = false;
	if (!rc && has_words)
		rc = take_loop(s);
	if (!rc && has_words)
		rc = shell_item_add(s, SHELL_END, "", 0, s->line);
	s->is_command_start = true;
	s->command_first = s->out->count;
	return rc;
}

char shell_peek(const struct shell_splitter *s, size_t ahead)
{
	return s->length - s->at > ahead ? s->text[s->at + ahead] : '\0';
}

/** Length of a line's end at `at`: 1, or 2 with a carriage return; 0 when there is none. */
static size_t newline_length(const struct shell_splitter *s, size_t ahead)
{
	if (shell_peek(s, ahead) == '\n')
		return 1;
	return shell_peek(s, ahead) == '\r' && shell_peek(s, ahead + 1) == '\n' ? 2 : 0;
}

size_t shell_blanks_at(const struct shell_splitter *s, size_t ahead)
{
	size_t n = 0;

	while (shell_peek(s, ahead + n) == ' ' || shell_peek(s, ahead + n) == '\t')
		n++;
	return n;
}

size_t shell_rest_of_line(const struct shell_splitter *s, size_t ahead)
{
	const char *from = s->text + s->at + ahead;
	size_t left = s->length - s->at - ahead;
	const char *newline = memchr(from, '\n', left);

	return newline ? (size_t)(newline - from) : left;
}

/** Does the command go on behind a comment that ends with the line at `ahead`? */
static bool goes_on(const struct shell_splitter *s, size_t ahead)
{
	size_t next = ahead + 1 + shell_blanks_at(s, ahead + 1);
	char c = shell_peek(s, next);

	return c == '-' || c == '#' || (ahead && shell_peek(s, ahead - 1) == '\\');
}

/** Behind a continued line: a prompt, or comments that a shell would end the command at. */
static enum ss_status skip_between(struct shell_splitter *s)
{
	enum ss_status rc = SS_OK;
	bool is_noted = false;

	for (;;) {
		size_t blanks = shell_blanks_at(s, 0), length;

		if (shell_peek(s, blanks) == '>' && shell_peek(s, blanks + 1) == ' ') {
			s->at += blanks + 2;
			return rc;
		}
		if (shell_peek(s, blanks) != '#' || s->array)
			return rc;
		length = blanks + shell_rest_of_line(s, blanks);
		if (s->at + length >= s->length || !goes_on(s, length))
			return rc;
		if (!is_noted)
			rc = note(s, s->line,
				  "a comment stands inside the command: a shell would end it here");
		is_noted = true;
		s->at += length + 1;
		s->line++;
	}
}

/** Take the newline `ahead` bytes on as none. */
static enum ss_status continue_line(struct shell_splitter *s, size_t ahead)
{
	s->at += ahead + newline_length(s, ahead);
	s->line++;
	return skip_between(s);
}

static enum ss_status backslash(struct shell_splitter *s)
{
	size_t blanks = 1 + shell_blanks_at(s, 1);
	enum ss_status rc = SS_OK;

	if (newline_length(s, 1))
		return continue_line(s, 1);
	if (s->at + 1 >= s->length) {
		s->at++;
		return SS_OK;
	}
	if (blanks > 1 && newline_length(s, blanks)) {
		rc = note(s, s->line,
			  "a blank follows the last backslash: a shell would end the command here");
		return rc ? rc : continue_line(s, blanks);
	}
	if (blanks > 1 && s->at + blanks >= s->length) {
		s->at += blanks;
		return SS_OK;
	}
	if (blanks > 1 && shell_peek(s, blanks) == '#') {
		rc = note(
			s, s->line,
			"a comment follows the last backslash: a shell would end the command here");
		blanks += shell_rest_of_line(s, blanks);
		if (rc || s->at + blanks < s->length)
			return rc ? rc : continue_line(s, blanks);
		s->at = s->length;
		return SS_OK;
	}
	s->at += 2;
	return shell_word_add(s, s->text + s->at - 1, 1);
}

/** Does the command that is open start the engine? Then a slip in it is its own. */
static bool is_launch(const struct shell_splitter *s)
{
	for (size_t i = s->command_first; i < s->out->count; i++) {
		if (strstr(s->out->items[i].text, "vllm"))
			return true;
	}
	return false;
}

/** A quote that nothing closes: an error of a launch, elsewhere an apostrophe. */
static enum ss_status open_quote(struct shell_splitter *s, size_t at, size_t line,
				 const char *message)
{
	if (is_launch(s) || s->array)
		return shell_fail(s, line, message);
	s->at = at + 1;
	s->line = line;
	return shell_word_add(s, s->text + at, 1);
}

static enum ss_status single_quotes(struct shell_splitter *s)
{
	size_t line = s->line, at = s->at, start = at + 1;
	const char *end =
		s->has_no_single ? NULL : memchr(s->text + start, '\'', s->length - start);
	enum ss_status rc;

	if (!end) {
		s->has_no_single = true;
		return open_quote(s, at, line, "a single quote is not closed");
	}
	rc = shell_word_add(s, s->text + start, (size_t)(end - s->text) - start);
	for (; start < (size_t)(end - s->text); start++)
		s->line += s->text[start] == '\n';
	s->at = start + 1;
	return rc;
}

/** Is there an end to the double quote that starts here? */
static bool is_closed(struct shell_splitter *s)
{
	if (s->has_no_double)
		return false;
	for (size_t i = s->at + 1; i < s->length; i++) {
		if (s->text[i] == '\\')
			i++;
		else if (s->text[i] == '"')
			return true;
	}
	s->has_no_double = true;
	return false;
}

static enum ss_status double_quotes(struct shell_splitter *s)
{
	size_t line = s->line, at = s->at;
	enum ss_status rc;

	if (!is_closed(s))
		return open_quote(s, at, line, "a double quote is not closed");
	rc = shell_word_add(s, "", 0);
	for (s->at++; !rc && s->at < s->length && s->text[s->at] != '"';) {
		char c = s->text[s->at], next = shell_peek(s, 1);
		size_t n = c == '\\' ? newline_length(s, 1) : 0;

		if (n) {
			s->at += 1 + n;
			s->line++;
		} else if (c == '\\' && next && strchr("$`\"\\", next)) {
			rc = shell_word_add(s, s->text + s->at + 1, 1);
			s->at += 2;
		} else if (c == '$') {
			rc = shell_expand(s, true);
		} else if (c == '`') {
			rc = shell_copy_substitution(s);
		} else {
			if (c == '\n')
				s->line++;
			rc = shell_word_add(s, s->text + s->at, 1);
			s->at++;
		}
	}
	if (rc)
		return rc;
	if (s->at >= s->length)
		return shell_fail(s, line, "a double quote is not closed");
	s->at++;
	return SS_OK;
}

static enum ss_status comment(struct shell_splitter *s)
{
	size_t start = s->at + 1, end;

	s->at += shell_rest_of_line(s, 0);
	end = s->at;
	if (end > start && s->text[end - 1] == '\r')
		end--;
	if (s->array)
		return SS_OK;
	return shell_item_add(s, SHELL_COMMENT, s->text + start, end - start, s->line);
}

/** `NAME=(`: the words up to the bracket that closes it are the array's. */
static enum ss_status open_array(struct shell_splitter *s, bool *is_array)
{
	const char *text = s->word.data ? s->word.data : "";
	bool is_appended;
	size_t n = assigned_name(text, s->word.length, &is_appended);

	*is_array = s->has_word && n && s->word.length == n + (is_appended ? 2 : 1);
	if (!*is_array)
		return SS_OK;
	s->array = strndup(text, n);
	if (!s->array || !shell_variables_start_array(s->variables, text, n, is_appended))
		return shell_no_memory(s);
	s->has_word = false;
	s->word.length = 0;
	s->at++;
	return SS_OK;
}

static enum ss_status bracket(struct shell_splitter *s)
{
	bool is_array;
	enum ss_status rc = open_array(s, &is_array);

	if (rc || is_array)
		return rc;
	s->at++;
	return command_end(s);
}

/** A byte inside `NAME=( ... )` that means something else outside. */
static enum ss_status array_step(struct shell_splitter *s, bool *is_done)
{
	char c = s->text[s->at];
	enum ss_status rc;

	*is_done = c == ')' || c == '\n' || c == '(' || strchr(";|&<>", c);
	if (!*is_done)
		return SS_OK;
	s->at++;
	if (c != ')' && c != '\n')
		return shell_word_add(s, s->text + s->at - 1, 1);
	rc = shell_word_end(s);
	if (c == '\n') {
		s->line++;
		return rc;
	}
	free(s->array);
	s->array = NULL;
	return rc;
}

static enum ss_status newline(struct shell_splitter *s)
{
	enum ss_status rc = command_end(s);

	s->line++;
	s->at++;
	if (!rc && s->here_count)
		rc = shell_read_bodies(s);
	free(s->output_file);
	s->output_file = NULL;
	return rc;
}

static enum ss_status step(struct shell_splitter *s)
{
	char c = s->text[s->at];
	bool is_done = false;
	enum ss_status rc;

	if (s->array) {
		rc = array_step(s, &is_done);
		if (rc || is_done)
			return rc;
	}
	switch (c) {
	case '\0':
		return shell_fail(s, s->line, "a NUL byte: this is not text");
	case '\\':
		return backslash(s);
	case '\'':
		return single_quotes(s);
	case '"':
		return double_quotes(s);
	case '$':
		return shell_expand(s, false);
	case '`':
	case '^':
		/* How PowerShell and cmd continue a line. */
		if (!s->has_word && newline_length(s, 1))
			return continue_line(s, 1);
		if (c == '`')
			return shell_copy_substitution(s);
		break;
	case '<':
	case '>':
		return shell_redirection(s);
	case '#':
		if (!s->has_word)
			return comment(s);
		break;
	case '&':
		if (shell_peek(s, 1) == '>') { /* `&> file`, both outputs */
			s->at++;
			return shell_redirection(s);
		}
		s->at++;
		return command_end(s);
	case '\n':
		return newline(s);
	case '(':
		return bracket(s);
	case ';':
	case '|':
	case ')':
		s->at++;
		return command_end(s);
	case '\r':
	case ' ':
	case '\t':
		s->at++;
		if (!s->has_word) /* blanks between `>` and its target */
			return SS_OK;
		return shell_word_end(s);
	default:
		break;
	}
	s->at++;
	return shell_word_add(s, s->text + s->at - 1, 1);
}

enum ss_status shell_words_split(struct shell_words *out, const char *text, size_t length,
				 struct shell_variables *variables, struct ss_error *err)
{
	struct shell_variables own = { 0 };
	struct shell_splitter s = { .text = text,
				    .length = length,
				    .line = 1,
				    .out = out,
				    .is_command_start = true,
				    .variables = variables ? variables : &own,
				    .err = err };
	enum ss_status rc = SS_OK;

	*out = (struct shell_words){ 0 };
	while (!rc && s.at < s.length)
		rc = step(&s);
	if (!rc)
		rc = command_end(&s);
	shell_variables_release(&own);
	for (size_t i = 0; i < s.here_count; i++)
		free(s.here[i].end);
	free(s.array);
	free(s.output_file);
	free(s.word.data);
	if (rc)
		shell_words_release(out);
	return rc;
}

/** `$(NAME)` of a container's arguments, `$$` for a plain dollar: bytes taken, 0 for neither. */
static size_t fill_reference(struct shell_splitter *s, enum ss_status *rc)
{
	const char *text = s->text + s->at;
	size_t n = shell_peek(s, 1) == '(' ? shell_name_length(text + 2, s->length - s->at - 2) : 0;
	const struct shell_variable *variable =
		n && shell_peek(s, 2 + n) == ')' ? shell_variables_get(s->variables, text + 2, n)
						 : NULL;

	if (shell_peek(s, 1) == '$') {
		*rc = shell_word_add(s, "$", 1);
		return 2;
	}
	if (!variable || !variable->count)
		return 0;
	*rc = shell_word_add(s, variable->values[0], strlen(variable->values[0]));
	return n + 3;
}

char *shell_words_fill(const char *text, struct shell_variables *variables)
{
	struct shell_words words = { 0 };
	struct shell_splitter s = { .text = text,
				    .length = strlen(text),
				    .line = 1,
				    .out = &words,
				    .variables = variables };
	enum ss_status rc = shell_word_add(&s, "", 0);

	while (!rc && s.at < s.length) {
		size_t n = s.text[s.at] == '$' ? fill_reference(&s, &rc) : 0;

		s.at += n;
		if (n)
			continue;
		if (s.text[s.at] == '$') {
			rc = shell_expand(&s, true);
		} else {
			rc = shell_word_add(&s, s.text + s.at, 1);
			s.at++;
		}
	}
	shell_words_release(&words);
	if (!rc)
		return s.word.data;
	free(s.word.data);
	return NULL;
}

void shell_words_release(struct shell_words *words)
{
	for (size_t i = 0; i < words->count; i++) {
		free(words->items[i].text);
		free(words->items[i].file);
	}
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
