#include "batch/arguments.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "app/xbuf.h"
#include "app/words.h"
#include "batch/engine_flags.h"

static char *own(struct arguments *a, char *text)
{
	a->owned = xrealloc(a->owned, a->owned_count + 1, sizeof(*a->owned));
	return a->owned[a->owned_count++] = text;
}

static char *own_part(struct arguments *a, const char *text, size_t len)
{
	char *part = xmalloc(len + 1);

	memcpy(part, text, len);
	part[len] = '\0';
	return own(a, part);
}

bool arguments_has(const struct arguments *arguments, enum option_id id)
{
	return arguments_value(arguments, id) != NULL;
}

const char *arguments_value(const struct arguments *arguments, enum option_id id)
{
	for (size_t i = arguments->use_count; i-- > 0;)
		if (arguments->uses[i].id == id)
			return arguments->uses[i].value;
	return NULL;
}

void arguments_add_setting(struct arguments *a, const char *path, const char *text)
{
	a->settings = xrealloc(a->settings, a->setting_count + 1, sizeof(*a->settings));
	a->settings[a->setting_count].path = own(a, xstrdup(path));
	a->settings[a->setting_count++].text = own(a, xstrdup(text));
}

static void add_use(struct arguments *a, enum option_id id, const char *value)
{
	a->uses = xrealloc(a->uses, a->use_count + 1, sizeof(*a->uses));
	a->uses[a->use_count++] = (struct option_use){ id, value };
}

/** A word of the line still to be read. */
struct reader {
	struct arguments *arguments;
	char **words;
	int count, at;
	struct ss_error *err;
};

/** The option's argument: behind `=`, or the next word. */
static enum ss_status take_value(struct reader *r, const char *shown, const char *attached,
				 const char **out)
{
	if (attached) {
		*out = attached;
		return SS_OK;
	}
	if (r->at >= r->count)
		return ss_fail(r->err, SS_EUSAGE, shown, "needs an argument");
	*out = r->words[r->at++];
	return SS_OK;
}

static enum ss_status unknown_option(struct reader *r, const char *shown)
{
	const char *names[OPT_COUNT + SS_FIELD_COUNT];
	const char *nearest;
	char name[128];
	size_t count = 0, len = strcspn(shown, "=");

	len = len < sizeof(name) ? len : sizeof(name) - 1;
	memcpy(name, shown, len);
	name[len] = '\0';
	for (size_t i = 0; i < OPT_COUNT; i++)
		if (command_takes(r->arguments->command, option_row((enum option_id)i)))
			names[count++] = option_row((enum option_id)i)->name;
	for (size_t i = 0; i < SS_FIELD_COUNT; i++)
		if (ss_field((enum ss_field_id)i)->flag)
			names[count++] = ss_field((enum ss_field_id)i)->flag;
	nearest = text_nearest(name + strspn(name, "-"), names, count);
	return ss_fail(r->err, SS_EUSAGE, name, "%s takes no such option%s%s%s",
		       r->arguments->command ? r->arguments->command->name : "stepscope",
		       nearest ? "; did you mean --" : "", nearest ? nearest : "",
		       nearest ? "?" : "");
}

static enum ss_status take_option(struct reader *r, const struct option_row *row, const char *shown,
				  const char *attached)
{
	const char *value = "";
	enum ss_status rc;

	if (!row->argument && attached)
		return ss_fail(r->err, SS_EUSAGE, shown, "takes no argument");
	if (row->argument) {
		rc = take_value(r, shown, attached, &value);
		if (rc)
			return rc;
	}
	add_use(r->arguments, row->id, value);
	return SS_OK;
}

/** A flag of the engine's own, `-tp 8` or `--enable-expert-parallel`: a setting. */
static enum ss_status take_flag(struct reader *r, const char *word)
{
	const struct command *command = r->arguments->command;
	struct engine_flag flag;
	const char *value = "";
	enum ss_status rc;

	if ((command && !(command->groups & OPTIONS_CASE)) || !engine_flag_find(&flag, word))
		return unknown_option(r, word);
	if (flag.value) {
		arguments_add_setting(r->arguments, flag.path, flag.value);
		return SS_OK;
	}
	rc = take_value(r, word, flag.attached, &value);
	if (rc)
		return rc;
	arguments_add_setting(r->arguments, flag.path, value);
	return SS_OK;
}

static enum ss_status take_long(struct reader *r, const char *word)
{
	const char *equals = strchr(word, '=');
	size_t len = equals ? (size_t)(equals - word) : strlen(word);
	const char *name = own_part(r->arguments, word + 2, len - 2);
	const struct option_row *row = option_find(name);

	if (row && command_takes(r->arguments->command, row))
		return take_option(r, row, own_part(r->arguments, word, len),
				   equals ? equals + 1 : NULL);
	return take_flag(r, word);
}

static enum ss_status take_short(struct reader *r, const char *word)
{
	const struct option_row *row = option_of_letter(word[1]);
	const char *attached = NULL;

	if (!row || !command_takes(r->arguments->command, row) || (word[2] && !row->argument))
		return take_flag(r, word);
	if (word[2])
		attached = word[2] == '=' ? word + 3 : word + 2;
	return take_option(r, row, own_part(r->arguments, word, 2), attached);
}

static void add_name(struct arguments *a, const char *name)
{
	a->names = xrealloc(a->names, a->name_count + 1, sizeof(*a->names));
	a->names[a->name_count++] = name;
}

/** Read every word; the first that is no option may name the command. */
static enum ss_status take_words(struct reader *r)
{
	struct arguments *a = r->arguments;
	bool is_rest = false;

	while (r->at < r->count) {
		const char *word = r->words[r->at++];
		enum ss_status rc = SS_OK;

		if (is_rest || word[0] != '-' || !word[1])
			add_name(a, word);
		else if (!strcmp(word, "--"))
			is_rest = true;
		else if (word[1] == '-')
			rc = take_long(r, word);
		else
			rc = take_short(r, word);
		if (rc)
			return rc;
	}
	return SS_OK;
}

/* -- what the options mean ------------------------------------------------------------ */

static bool has_word(const char *words, const char *word)
{
	size_t len = strlen(word);

	for (const char *at = words; *at;) {
		size_t n = strcspn(at, " ");

		if (n == len && !memcmp(at, word, len))
			return true;
		at += n + (at[n] == ' ');
	}
	return false;
}

static enum ss_status to_count(const struct option_use *use, int64_t least, int64_t *out,
			       struct ss_error *err)
{
	if (!read_count(use->value, 1000000000, out) || *out < least)
		return ss_fail(err, SS_EUSAGE, option_row(use->id)->name,
			       "must be a whole number of %lld or more, got %s", (long long)least,
			       use->value);
	return SS_OK;
}

static enum ss_status to_number(const struct option_use *use, double least, double most,
				double *out, struct ss_error *err)
{
	if (!word_number(use->value, out) || *out < least || *out > most)
		return ss_fail(err, SS_EUSAGE, option_row(use->id)->name,
			       "must be a number from %g to %g, got %s", least, most, use->value);
	return SS_OK;
}

static enum ss_status split_pair(struct arguments *a, const struct option_use *use,
				 const char **name, const char **value, struct ss_error *err)
{
	const char *equals = strchr(use->value, '=');

	if (!equals || equals == use->value)
		return ss_fail(err, SS_EUSAGE, option_row(use->id)->name, "must read %s, got %s",
			       option_row(use->id)->argument, use->value);
	*name = own_part(a, use->value, (size_t)(equals - use->value));
	*value = equals + 1;
	return SS_OK;
}

static enum ss_status take_coef(struct arguments *a, const struct option_use *use,
				struct ss_error *err)
{
	struct ss_whatif whatif;
	const char *value;
	enum ss_status rc = split_pair(a, use, &whatif.name, &value, err);

	if (rc)
		return rc;
	if (!word_number(value, &whatif.value) || whatif.value <= 0)
		return ss_fail(err, SS_EUSAGE, "coef", "%s must be a number above 0, got %s",
			       whatif.name, value);
	a->whatifs = xrealloc(a->whatifs, a->whatif_count + 1, sizeof(*a->whatifs));
	for (size_t i = 0; i < a->whatif_count; i++) {
		if (!strcmp(a->whatifs[i].name, whatif.name)) {
			a->whatifs[i].value = whatif.value;
			return SS_OK;
		}
	}
	a->whatifs[a->whatif_count++] = whatif;
	return SS_OK;
}

static enum ss_status take_figure(struct arguments *a, const struct option_use *use,
				  struct ss_error *err)
{
	for (int i = 0; i < SS_FIGURE_COUNT; i++) {
		if (!strcmp(ss_figure_name((enum ss_figure)i), use->value)) {
			a->request.figure = (enum ss_figure)i;
			return SS_OK;
		}
	}
	return ss_fail(err, SS_EUSAGE, "figure", "no figure %s; there are: serial, no_overlap, overlap",
		       use->value);
}

static enum ss_status take_correct(struct arguments *a, const struct option_use *use,
				   struct ss_error *err)
{
	if (!a->request.has_corrections)
		a->request.corrections = SS_CORRECTIONS_DEFAULT;
	a->request.has_corrections = true;
	return ss_corrections_parse(&a->request.corrections, use->value, err);
}

static enum ss_status take_format(struct arguments *a, const char *word, struct ss_error *err)
{
	static const char *const names[] = { "text", "json", "csv", "markdown" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (!strcmp(names[i], word)) {
			a->format = (enum output_format)i;
			return SS_OK;
		}
	}
	return ss_fail(err, SS_EUSAGE, "format", "no format %s; there are: text, json, csv, markdown",
		       word);
}

static enum ss_status take_set(struct arguments *a, const struct option_use *use,
			       struct ss_error *err)
{
	const char *path, *text;
	enum ss_status rc = split_pair(a, use, &path, &text, err);

	if (!rc)
		arguments_add_setting(a, path, text);
	return rc;
}

/** Options that are the same whatever the command; the rest are the command's to read. */
static enum ss_status interpret(struct arguments *a, const struct option_use *use,
				struct ss_error *err)
{
	struct session_request *r = &a->request;
	const struct option_row *row = option_row(use->id);

	if (row->kind == KIND_WORDS && !has_word(row->words, use->value))
		return ss_fail(err, SS_EUSAGE, row->name, "must be one of: %s; got %s", row->words,
			       use->value);
	switch (use->id) {
	case OPT_REGISTRY:
		r->registry = use->value;
		return SS_OK;
	case OPT_SET:
		return take_set(a, use, err);
	case OPT_ARGS:
		return engine_flags_paste(a, use->value, err);
	case OPT_POOL:
		r->pool = use->value;
		return SS_OK;
	case OPT_MODEL:
		r->adhoc.model = use->value;
		return SS_OK;
	case OPT_PART:
		r->adhoc.part = use->value;
		return SS_OK;
	case OPT_NODES:
		return to_count(use, 1, &r->adhoc.nodes, err);
	case OPT_GPUS_PER_NODE:
		return to_count(use, 1, &r->adhoc.gpus_per_node, err);
	case OPT_GPUS_PER_RACK:
		return to_count(use, 1, &r->adhoc.gpus_per_rack, err);
	case OPT_FABRIC:
		r->adhoc.fabric = use->value;
		return SS_OK;
	case OPT_INTER_NODE:
		return to_number(use, 0.001, 100000, &r->adhoc.inter_node_gb_s, err);
	case OPT_ENGINE_VERSION:
		r->adhoc.engine_version = use->value;
		return SS_OK;
	case OPT_BATCH:
		r->batch = use->value;
		return SS_OK;
	case OPT_DECODE_THRESHOLD:
		return to_count(use, 1, &r->decode_threshold, err);
	case OPT_SM_BUDGET:
		return to_count(use, 1, &r->sm_budget, err);
	case OPT_COEF:
		return take_coef(a, use, err);
	case OPT_FIGURE:
		return take_figure(a, use, err);
	case OPT_CORRECT:
		return take_correct(a, use, err);
	case OPT_SPREAD:
		return ss_spread_set(&r->spread, use->value, err);
	case OPT_TTFT:
		return to_count(use, 1, &r->ttft_tokens, err);
	case OPT_ACCEPTANCE:
		return to_number(use, 0, 1, &r->acceptance, err);
	case OPT_FORMAT:
		return take_format(a, use->value, err);
	case OPT_JSON:
		a->format = FORMAT_JSON;
		return SS_OK;
	case OPT_QUIET:
		a->is_quiet = true;
		return SS_OK;
	case OPT_DIRECTORY:
	case OPT_REQUIRE_FIT:
	case OPT_ONLY:
	case OPT_VARY:
	case OPT_WHERE:
	case OPT_BEST:
	case OPT_TOP:
	case OPT_JOBS:
	case OPT_SHARD:
	case OPT_RESUME:
	case OPT_EXIT_CODE:
	case OPT_LENGTH:
	case OPT_TO:
	case OPT_OUTPUT:
	case OPT_COLOR:
	case OPT_HELP:
	case OPT_AUTO:
	case OPT_CHECK:
	case OPT_MOUSE:
	case OPT_ASCII:
	case OPT_VERSION:
	case OPT_COUNT:
		break;
	}
	return SS_OK;
}

/** Words that make a scenario change one instead where a file is named. */
static void adhoc_words_as_settings(struct arguments *a)
{
	const struct setting words[] = {
		{ "cluster.fabric", a->request.adhoc.fabric },
		{ "engine_version", a->request.adhoc.engine_version },
	};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (words[i].text)
			arguments_add_setting(a, words[i].path, words[i].text);
}

static enum ss_status check_adhoc(struct arguments *a, struct ss_error *err)
{
	const struct adhoc *words = &a->request.adhoc;
	bool is_made = words->model || words->part;
	bool makes_one = a->command && !strcmp(a->command->arguments, "");

	if (is_made && a->name_count && a->command && a->command->most == 1)
		return ss_fail(err, SS_EUSAGE, "model",
			       "give a scenario or --model and --part, not both");
	if (!is_made && (words->nodes || words->gpus_per_node || words->gpus_per_rack ||
			 words->inter_node_gb_s > 0))
		return ss_fail(err, SS_EUSAGE, "nodes",
			       "describes a scenario made by --model and --part; use --set on a file");
	if (!is_made && !makes_one)
		adhoc_words_as_settings(a);
	return SS_OK;
}

/** Words after one that is no command: a scenario alone takes none, so a command was meant. */
static enum ss_status no_such_command(const char *word, struct ss_error *err)
{
	const char *nearest = command_nearest(word);

	return ss_fail(err, SS_EUSAGE, word, "no such command%s%s%s",
		       nearest ? "; did you mean " : ", see stepscope --help", nearest ? nearest : "",
		       nearest ? "?" : "");
}

static enum ss_status count_names(const struct arguments *a, struct ss_error *err)
{
	const struct command *c = a->command;
	size_t most = c ? c->most : 1;

	if (c && a->name_count < c->least)
		return ss_fail(err, SS_EUSAGE, c->name, "needs %s: %s", c->arguments, c->help);
	if (a->name_count > most)
		return c ? ss_fail(err, SS_EUSAGE, c->name, "too many words: %s is left over",
				   a->names[most]) :
			   no_such_command(a->names[0], err);
	return SS_OK;
}

/** A format stated anywhere counts, so that even a bad line is answered in it. */
static void find_format(struct arguments *a, int argc, char **argv)
{
	struct ss_error ignored;

	for (int i = 1; i < argc; i++) {
		const char *word = argv[i];

		if (!strcmp(word, "--"))
			return;
		if (!strcmp(word, "--json"))
			a->format = FORMAT_JSON;
		else if (!strncmp(word, "--format=", 9))
			(void)!take_format(a, word + 9, &ignored);
		else if (!strcmp(word, "--format") && i + 1 < argc)
			(void)!take_format(a, argv[i + 1], &ignored);
	}
}

/**
 * The command is the first word that is no option; it is found before the options are
 * read, since it decides which there are. An option's argument is not taken for it.
 */
static void find_command(struct arguments *a, int argc, char **argv, int *place)
{
	*place = 0;
	for (int i = 1; i < argc; i++) {
		const struct option_row *row = NULL;

		if (argv[i][0] != '-' || !argv[i][1]) {
			a->command = command_find(argv[i]);
			*place = a->command ? i : 0;
			return;
		}
		if (!strcmp(argv[i], "--"))
			return;
		if (argv[i][1] == '-' && !strchr(argv[i], '='))
			row = option_find(argv[i] + 2);
		else if (argv[i][1] != '-' && !argv[i][2])
			row = option_of_letter(argv[i][1]);
		if (row && row->argument)
			i++;
	}
}

/** Does the command read the words behind it by itself? `--help` is still ours. */
static bool is_own(const struct arguments *a)
{
	return a->command && (a->command->groups & OPTIONS_OWN);
}

enum ss_status arguments_read(struct arguments *out, int argc, char **argv, struct ss_error *err)
{
	struct reader r = { .arguments = out, .err = err };
	enum ss_status rc;
	int command_at;

	*out = (struct arguments){ .request = session_request() };
	find_format(out, argc, argv);
	find_command(out, argc, argv, &command_at);
	r.words = xcalloc((size_t)argc, sizeof(*r.words));
	for (int i = 1; i < argc && !(command_at && i > command_at && is_own(out)); i++)
		if (i != command_at)
			r.words[r.count++] = argv[i];
	rc = take_words(&r);
	for (int i = command_at + 1; !rc && is_own(out) && i < argc; i++) {
		if (!strcmp(argv[i], "--help") || !strcmp(argv[i], "-h"))
			add_use(out, OPT_HELP, "");
		else
			add_name(out, argv[i]);
	}
	free(r.words);
	for (size_t i = 0; !rc && i < out->use_count; i++)
		rc = interpret(out, &out->uses[i], err);
	if (!rc && !arguments_has(out, OPT_HELP) && !arguments_has(out, OPT_VERSION)) {
		rc = count_names(out, err);
		if (!rc)
			rc = check_adhoc(out, err);
	}
	out->request.settings = out->settings;
	out->request.setting_count = out->setting_count;
	out->request.whatifs = out->whatifs;
	out->request.whatif_count = out->whatif_count;
	return rc;
}

void arguments_release(struct arguments *arguments)
{
	for (size_t i = 0; i < arguments->owned_count; i++)
		free(arguments->owned[i]);
	free(arguments->owned);
	free(arguments->names);
	free(arguments->uses);
	free(arguments->settings);
	free(arguments->whatifs);
	*arguments = (struct arguments){ 0 };
}
