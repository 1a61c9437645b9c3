#include "import/vllm_words.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define VALUES_MAX 64

/** Does this word begin a flag, and not a value (a negative number, a lone dash)? */
static bool is_flag(const char *word)
{
	return word[0] == '-' && (word[1] == '-' || isalpha((unsigned char)word[1]));
}

static bool is_truth(const char *word)
{
	return !strcasecmp(word, "true") || !strcasecmp(word, "false");
}

/** The words of a flag's value after its own, by its arity. */
static size_t value_count(const struct vllm_flag *flag, const struct shell_word *words, size_t left)
{
	size_t count = 0;

	switch (flag->arity) {
	case VLLM_SWITCH: /* once taken as a value, and still written */
		return left && is_truth(words[0].text) ? 1 : 0;
	case VLLM_ONE:
	case VLLM_OPTIONAL:
		return left && !is_flag(words[0].text) ? 1 : 0;
	case VLLM_MANY:
		while (count < left && !is_flag(words[count].text))
			count++;
		break;
	}
	return count;
}

/** A flag's word taken apart. */
struct written {
	char shown[160];   /**< with its dashes, less value and path */
	const char *name;  /**< the long name looked up; NULL when a short one is not known */
	const char *value; /**< behind `=`; NULL when there is none */
	char *path;        /**< behind a dot, owned; NULL when there is none */
};

static void take_apart(struct vllm_taker *t, struct written *out, const char *word)
{
	const char *value = strchr(word, '=');
	size_t n = value ? (size_t)(value - word) : strlen(word);
	bool is_long = word[1] == '-';
	char *dot;

	*out = (struct written){ .value = value ? value + 1 : NULL };
	snprintf(out->shown, sizeof(out->shown), "%.*s", (int)(n < 159 ? n : 159), word);
	dot = strchr(out->shown, '.');
	if (dot) {
		*dot = '\0';
		out->path = strdup(dot + 1);
		t->is_out_of_memory |= !out->path;
	}
	out->name = is_long ? out->shown + 2 : vllm_short_option(out->shown + 1);
}

/** No flag of the engine: named, and passed over with what may be its value. */
static size_t skip_unknown(struct vllm_taker *t, size_t pool, const struct written *w,
			   const struct shell_word *words, size_t left, const char *nearest)
{
	const struct vllm_flag guess = { "", VLLM_ONE, VLLM_NO_EFFECT, SS_FIELD_COUNT };

	if (t->pools[pool].is_benchmark) {
		taker_note(t, IMPORT_NO_EFFECT, words[0].line, pool, w->shown,
			   "the benchmark's own");
		return 1 + (w->value ? 0 : value_count(&guess, words + 1, left - 1));
	}
	taker_note(t, IMPORT_UNKNOWN, words[0].line, pool, w->shown, "no flag of the engine");
	if (strchr(nearest, ' '))
		taker_doubt(t, words[0].line, "unknown-key",
			    "%.100s may be more than one flag of vllm serve: %s", w->shown,
			    nearest);
	else
		taker_doubt(t, words[0].line, "unknown-key", "no flag %.100s of vllm serve%s%s%s",
			    w->shown, *nearest ? "; did you mean --" : "", nearest,
			    *nearest ? "?" : "");
	return 1 + (w->value ? 0 : value_count(&guess, words + 1, left - 1));
}

/** `-O3`, `-O 3`, `-O.mode=3`, `-O{...}`; returns how many words it took. */
static size_t read_optimization(struct vllm_taker *t, size_t pool, const struct shell_word *words,
				size_t left)
{
	const char *rest = words[0].text + 2;

	if (*rest == '=')
		rest++;
	if (!*rest && left > 1) {
		taker_optimization(t, pool, words[1].text, words[0].line);
		return 2;
	}
	taker_optimization(t, pool, rest, words[0].line);
	return 1;
}

/** One flag at `words[0]`; returns how many words it took. */
static size_t read_flag(struct vllm_taker *t, size_t pool, const struct shell_word *words,
			size_t left)
{
	const struct shell_word *word = &words[0];
	const char *values[VALUES_MAX];
	char nearest[160] = "";
	bool is_negated;
	struct vllm_flag flag;
	struct written w;
	size_t n, count = 0;

	if (word->text[1] == 'O')
		return read_optimization(t, pool, words, left);
	take_apart(t, &w, word->text);
	if (!w.name || !vllm_flag_match(&flag, &is_negated, w.name, nearest, sizeof(nearest))) {
		n = skip_unknown(t, pool, &w, words, left, nearest);
		free(w.path);
		return n;
	}
	n = 1;
	if (w.value)
		values[count++] = w.value;
	/* `--api-key=a b` lists on */
	if (!w.value || flag.arity == VLLM_MANY)
		n += value_count(&flag, words + 1, left - 1);
	for (size_t i = 1; i < n && count < VALUES_MAX; i++)
		values[count++] = words[i].text;
	if (n > VALUES_MAX)
		taker_problem(t, word->line, "limit", "%s lists more than %zu values", w.shown,
			      count);
	else if (!count && (flag.arity == VLLM_ONE || flag.arity == VLLM_MANY))
		taker_problem(t, word->line, "missing", "%s needs a value", w.shown);
	else
		taker_flag(t, pool, &flag, is_negated, w.shown, w.path, values, count, word->line);
	free(w.path);
	return n;
}

/** A word that is no flag and no flag's value: the model, once. */
static void read_positional(struct vllm_taker *t, size_t pool, const struct shell_word *word,
			    bool *has_model)
{
	bool is_rest = word->text[0] == '[' || !strcmp(word->text, "\\");

	if (*has_model && (taker_is_blank(word->text) || is_rest || !word->text[0])) {
		/* `$EXTRA_ARGS`, `[OPTIONS]`: more flags, which the text does not show. */
		taker_note(t, IMPORT_NOTED, word->line, pool, word->text,
			   "not filled in by the text");
		return;
	}
	if (*has_model) {
		taker_doubt(t, word->line, "syntax",
			    "'%.60s' stands alone: a flag's value, or a second model?", word->text);
		return;
	}
	*has_model = true;
	free(t->pools[pool].model);
	t->pools[pool].model = strdup(word->text);
	t->pools[pool].model_line = word->line;
	t->is_out_of_memory |= !t->pools[pool].model;
}

/** Bytes of the long dashes that a word processor makes of `--`, at the word's start. */
static size_t dash_length(const char *word)
{
	size_t n = 0;

	while (!strncmp(word + n, "\xe2\x80\x93", 3) || !strncmp(word + n, "\xe2\x80\x94", 3))
		n += 3;
	return n;
}

/** Put back the dashes as they were typed; a long one is three bytes, two dashes are two. */
static void straighten(struct vllm_taker *t, struct shell_word *words, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		size_t n = dash_length(words[i].text), left = strlen(words[i].text) - n;

		if (!n || !left)
			continue;
		memmove(words[i].text + 2, words[i].text + n, left + 1);
		memcpy(words[i].text, "--", 2);
		taker_doubt(t, words[i].line, "syntax", "%.60s was written with a long dash",
			    words[i].text);
	}
}

void vllm_words_read(struct vllm_taker *t, size_t pool, struct shell_word *words, size_t count)
{
	bool has_model = t->pools[pool].model != NULL;

	straighten(t, words, count);
	for (size_t i = 0; i < count;) {
		if (is_flag(words[i].text)) {
			i += read_flag(t, pool, words + i, count - i);
			continue;
		}
		/* `$ARGS` ahead of `--model X` is no model. */
		if (!has_model && taker_is_blank(words[i].text)) {
			for (size_t k = i + 1; k < count && !has_model; k++)
				has_model = !strncmp(words[k].text, "--model", 7) &&
					    (!words[k].text[7] || words[k].text[7] == '=');
		}
		has_model |= t->pools[pool].model != NULL;
		read_positional(t, pool, &words[i], &has_model);
		i++;
	}
}
