/* Launches of a script: commands, what is exported before them, here-documents. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "import/launches.h"

#define DEPTH_MAX 6
/* One command's slips beyond these are more of the same. */
#define NOTES_MAX 8

static enum ss_status no_memory(struct ss_error *err)
{
	return ss_fail(err, SS_ENOMEM, "", "out of memory");
}

/** A script under reading. */
struct script {
	struct launches *out;
	const struct launch_frame *frame;
	struct shell_word *command; /**< words of the command so far, borrowed */
	size_t count, capacity;
	bool is_behind_launch;                     /**< the command before started the engine */
	const struct shell_word *notes[NOTES_MAX]; /**< of this command */
	size_t note_count;
	const struct shell_word *loop; /**< of the loop around it */
	size_t line;                   /**< of the script's first line */
	struct ss_error *err;
};

static enum ss_status add_comment(struct script *s, const char *text, size_t line, bool is_note)
{
	struct launches *out = s->out;

	if (out->comment_count == out->comment_capacity) {
		size_t capacity = out->comment_capacity ? out->comment_capacity * 2 : 8;
		struct launch_comment *grown = realloc(out->comments, capacity * sizeof(*grown));

		if (!grown)
			return no_memory(s->err);
		out->comments = grown;
		out->comment_capacity = capacity;
	}
	out->comments[out->comment_count] = (struct launch_comment){
		.text = strdup(text), .line = line, .before = out->count, .is_note = is_note
	};
	if (!out->comments[out->comment_count].text)
		return no_memory(s->err);
	out->comment_count++;
	return SS_OK;
}

/** `# pool 0`, `# set engine.block_size=64`: lines of an export. */
static bool is_exported_line(const char *text)
{
	size_t n;

	text += strspn(text, " \t");
	if (!strncmp(text, "pool ", 5))
		return text[5] && strspn(text + 5, "0123456789") == strlen(text + 5);
	if (strncmp(text, "set ", 4) != 0)
		return false;
	text += 4 + strspn(text + 4, " \t");
	n = strcspn(text, " \t=");
	return n && text[n] == '=';
}

static enum ss_status read_comment(struct script *s, const struct shell_word *word, size_t line)
{
	char *copy;

	if (is_exported_line(word->text)) {
		s->out->is_exported = true;
		return add_comment(s, word->text + strspn(word->text, " \t"), line, false);
	}
	copy = strdup(word->text);
	if (!copy)
		return no_memory(s->err);
	free(s->out->last_comment);
	s->out->last_comment = copy;
	return SS_OK;
}

/** Environment that a command of its own sets for all that follow. */
static enum ss_status read_exports(struct script *s)
{
	bool is_export = false;

	for (size_t i = 0; i < s->count; i++) {
		const char *text = s->command[i].text;

		if (!strcmp(text, "export")) {
			is_export = true;
		} else if (launch_is_assignment(text)) {
			/* A variable of the script alone is no environment. */
			bool is_kept = is_export || !strncmp(text, "VLLM_", 5) ||
				       !strncmp(text, "CUDA_VISIBLE_DEVICES=", 21);

			if (is_kept &&
			    !launch_settings_add(&s->out->shared, text, s->command[i].line))
				return no_memory(s->err);
		} else if (text[0] != '-') {
			break;
		}
	}
	return SS_OK;
}

/** Flags that stand as a command of their own right behind a launch belong to it. */
static enum ss_status join_launch(struct script *s)
{
	struct launch *launch = &s->out->items[s->out->count - 1];
	enum ss_status rc = add_comment(
		s, "the flags stand apart from their command: a shell would not read them",
		s->command[0].line, true);

	for (size_t i = 0; i < s->count && !rc; i++) {
		if (!launch_add_word(launch, s->command[i].text, s->command[i].line))
			rc = no_memory(s->err);
	}
	return rc;
}

/** A launch's slips are said; those of other commands are theirs. */
static enum ss_status add_notes(struct script *s)
{
	enum ss_status rc = SS_OK;

	if (s->loop)
		rc = add_comment(s, s->loop->text, s->loop->line + s->line - 1, true);
	for (size_t i = 0; i < s->note_count && !rc; i++)
		rc = add_comment(s, s->notes[i]->text, s->notes[i]->line + s->line - 1, true);
	s->loop = NULL;
	return rc;
}

static enum ss_status end_command(struct script *s)
{
	size_t before = s->out->count;
	enum ss_status rc;

	if (!s->count)
		return SS_OK;
	if (s->note_count && !strcmp(s->command[0].text, "for")) {
		s->loop = s->notes[0];
		s->note_count = 0;
	}
	if (s->is_behind_launch && s->command[0].text[0] == '-' && s->command[0].text[1] == '-') {
		rc = join_launch(s);
		s->count = 0;
		return rc;
	}
	rc = launches_take_words(s->out, s->command, s->count, s->frame, s->err);
	s->is_behind_launch = s->out->count > before;
	if (!rc && !s->is_behind_launch)
		rc = read_exports(s);
	if (s->is_behind_launch) {
		free(s->out->last_comment);
		s->out->last_comment = NULL;
		rc = rc ? rc : add_notes(s);
	}
	s->note_count = 0;
	s->count = 0;
	return rc;
}

static enum ss_status add_word(struct script *s, const struct shell_word *word, size_t line)
{
	if (s->count == s->capacity) {
		size_t capacity = s->capacity ? s->capacity * 2 : 64;
		struct shell_word *grown = realloc(s->command, capacity * sizeof(*grown));

		if (!grown)
			return no_memory(s->err);
		s->command = grown;
		s->capacity = capacity;
	}
	s->command[s->count] = *word;
	s->command[s->count++].line = line;
	return SS_OK;
}

/** A body that starts the engine, or is written to a file that `--config` may name. */
static enum ss_status read_here(struct script *s, const struct shell_word *word, size_t line)
{
	struct launches *out = s->out;
	size_t before = out->count;
	enum ss_status rc = SS_OK;
	char *file = NULL;
	int n;

	if (word->file) {
		n = snprintf(NULL, 0, "%s=%s", word->file, word->text);
		file = malloc((size_t)n + 1);
		if (!file)
			return no_memory(s->err);
		(void)snprintf(file, (size_t)n + 1, "%s=%s", word->file, word->text);
		rc = launch_settings_add(&out->files, file, line) ? SS_OK : no_memory(s->err);
		free(file);
	}
	if (rc || !strstr(word->text, "vllm"))
		return rc;
	rc = launches_read(out, word->text, strlen(word->text), s->err);
	for (size_t i = before; i < out->count; i++) {
		out->items[i].line += line - 1;
		for (size_t k = 0; k < out->items[i].words.count; k++)
			out->items[i].words.items[k].line += line - 1;
	}
	return rc;
}

enum ss_status launches_read_shell(struct launches *out, const char *text, size_t length,
				   size_t line, const struct launch_frame *frame,
				   struct ss_error *err)
{
	struct script s = { .out = out, .frame = frame, .line = line, .err = err };
	struct shell_words words;
	enum ss_status rc;

	if (out->depth == DEPTH_MAX)
		return ss_fail(err, SS_EUSAGE, "", "shells are nested too deep");
	rc = shell_words_split(&words, text, length, &out->variables, err);
	if (rc) {
		size_t own = 0;

		if (rc == SS_EUSAGE && line > 1 && sscanf(err->where, "line %zu", &own) == 1)
			(void)snprintf(err->where, sizeof(err->where), "line %zu", own + line - 1);
		return rc;
	}
	out->depth++;
	for (size_t i = 0; i < words.count && !rc; i++) {
		const struct shell_word *word = &words.items[i];
		size_t at = word->line + line - 1;

		switch (word->kind) {
		case SHELL_WORD:
			rc = add_word(&s, word, at);
			break;
		case SHELL_END:
			rc = end_command(&s);
			break;
		case SHELL_COMMENT:
			rc = end_command(&s);
			if (!rc)
				rc = read_comment(&s, word, at);
			break;
		case SHELL_HERE:
			rc = read_here(&s, word, at);
			break;
		case SHELL_NOTE:
			if (s.note_count < NOTES_MAX)
				s.notes[s.note_count++] = word;
			break;
		}
	}
	if (!rc)
		rc = end_command(&s);
	out->depth--;
	free(s.command);
	shell_words_release(&words);
	return rc;
}
