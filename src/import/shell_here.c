/* Redirections, and here-documents: `<<EOF` and the lines up to its end. */
#include <stdlib.h>
#include <string.h>

#include "import/shell_splitter.h"

/** `<<EOF`, `<<-'EOF'`: remember where its body ends. */
static enum ss_status here_document(struct shell_splitter *s)
{
	struct shell_here *here = &s->here[s->here_count];
	enum ss_status rc = shell_word_end(s);
	size_t start, n;
	char quote;

	if (rc)
		return rc;
	s->at += 2;
	if (s->here_count == SHELL_HERE_MAX)
		return SS_OK;
	*here = (struct shell_here){ .strips_tabs = shell_peek(s, 0) == '-' };
	s->at += here->strips_tabs;
	s->at += shell_blanks_at(s, 0);
	quote = shell_peek(s, 0);
	here->is_raw = quote == '\'' || quote == '"' || quote == '\\';
	s->at += here->is_raw;
	start = s->at;
	for (n = 0; start + n < s->length && !strchr(" \t\r\n'\";|&<>()", s->text[start + n]);)
		n++;
	s->at += n;
	s->at += here->is_raw && quote != '\\' && shell_peek(s, 0) == quote;
	if (!n)
		return SS_OK;
	here->end = strndup(s->text + start, n);
	if (!here->end)
		return shell_no_memory(s);
	s->here_count++;
	return SS_OK;
}

/** The body from the place to its end line; the place moves behind that line. */
static enum ss_status read_here(struct shell_splitter *s, struct shell_here *here)
{
	size_t start = s->at, line = s->line, body, length = strlen(here->end);
	enum ss_status rc;

	for (;;) {
		size_t n = shell_rest_of_line(s, 0),
		       skip = here->strips_tabs ? shell_blanks_at(s, 0) : 0;

		body = s->at - start;
		if (s->at >= s->length)
			break;
		/* Indented with the list it stands in, its end is found all the same. */
		if (!skip && n > length)
			skip = shell_blanks_at(s, 0);
		if (n >= skip + length && !memcmp(s->text + s->at + skip, here->end, length) &&
		    (n == skip + length || s->text[s->at + skip + length] == '\r')) {
			s->at += n;
			break;
		}
		s->at += n;
		if (s->at < s->length)
			s->at++;
		s->line++;
	}
	if (here->is_raw)
		return shell_item_add(s, SHELL_HERE, s->text + start, body, line);
	rc = shell_expand_text(s, s->text + start, body);
	if (!rc)
		rc = shell_item_add(s, SHELL_HERE, s->word.data ? s->word.data : "", s->word.length,
				    line);
	s->has_word = false;
	s->is_void = false;
	s->word.length = 0;
	return rc;
}

enum ss_status shell_read_bodies(struct shell_splitter *s)
{
	enum ss_status rc = SS_OK;

	for (size_t i = 0; i < s->here_count && !rc; i++) {
		rc = read_here(s, &s->here[i]);
		if (!rc && s->output_file) {
			s->out->items[s->out->count - 1].file = strdup(s->output_file);
			if (!s->out->items[s->out->count - 1].file)
				rc = shell_no_memory(s);
		}
		/* The newline behind the last end line is left to the caller's next step. */
	}
	for (size_t i = 0; i < s->here_count; i++)
		free(s->here[i].end);
	s->here_count = 0;
	s->command_first = s->out->count;
	return rc;
}

static bool is_digits(const char *text)
{
	return *text && strspn(text, "0123456789") == strlen(text);
}

/** `<model>` is a blank to fill in, where a shell would read from a file. */
static size_t blank_length(const struct shell_splitter *s)
{
	size_t n = 1;

	if (!shell_name_length(s->text + s->at + 1, s->length - s->at - 1))
		return 0;
	while (s->at + n < s->length && !strchr("<>'\"$|;&\n\r", s->text[s->at + n]))
		n++;
	return shell_peek(s, n) == '>' ? n + 1 : 0;
}

/** `>`, `2>&1`, `<`: the operator, its number and its target are no words of the command. */
enum ss_status shell_redirection(struct shell_splitter *s)
{
	size_t blank = shell_peek(s, 0) == '<' ? blank_length(s) : 0;
	enum ss_status rc;

	if (blank) {
		rc = shell_word_add(s, s->text + s->at, blank);
		s->at += blank;
		return rc;
	}
	/* A prompt of a line that goes on, or of a quoted mail. */
	if (shell_peek(s, 0) == '>' && !s->has_word && s->out->count == s->command_first &&
	    shell_peek(s, 1) == ' ') {
		s->at++;
		return SS_OK;
	}
	if (shell_peek(s, 0) == '<' && shell_peek(s, 1) == '<' && shell_peek(s, 2) != '<')
		return here_document(s);
	if (s->has_word && is_digits(s->word.data ? s->word.data : ""))
		s->is_dropped = true;
	rc = shell_word_end(s);
	s->is_output = shell_peek(s, 0) == '>';
	while (s->at < s->length && strchr("<>&|", s->text[s->at]))
		s->at++;
	s->is_dropped = true;
	return rc;
}
