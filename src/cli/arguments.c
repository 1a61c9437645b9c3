#include "cli/arguments.h"

#include <stdlib.h>
#include <string.h>

#include "text/xbuf.h"
#include "cli/engine_flags.h"
#include "cli/load_args.h"
#include "import/model_source.h"
#include "import/vllm_flags.h"
#include "stepscope/nearest.h"

static char *own(struct arguments *a, char *text)
{
	a->owned = xrealloc(a->owned, a->owned_count + 1, sizeof(*a->owned));
	return a->owned[a->owned_count++] = text;
}

char *arguments_own(struct arguments *a, const char *text, size_t len)
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

static bool takes_settings(const struct command *command)
{
	return !command || command->groups & OPTIONS_CASE;
}

static enum ss_status unknown_option(struct reader *r, const char *shown)
{
	const char *names[OPT_COUNT + SS_FIELD_COUNT];
	const char *nearest;
	char name[128], flag_name[64] = "";
	struct vllm_flag flag;
	bool is_negated;
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
	nearest = ss_closest_word(name + strspn(name, "-"), names, count);
	if (!nearest && takes_settings(r->arguments->command) &&
	    !vllm_flag_find(&flag, &is_negated, name + strspn(name, "-"), flag_name,
			    sizeof(flag_name)) &&
	    *flag_name)
		nearest = flag_name;
	return ss_fail(r->err, SS_EUSAGE, name, "%s takes no such option%s%s%s",
		       r->arguments->command ? r->arguments->command->name : "stepscope",
		       nearest ? "; did you mean --" : ", see --help", nearest ? nearest : "",
		       nearest ? "?" : "");
}

/** The terms of --goodput are words of their own. */
static const char *more_terms(struct reader *r, const char *value)
{
	struct xbuf terms = { 0 };
	const char *out;

	xbuf_puts(&terms, value);
	while (r->at < r->count && load_args_is_goodput(r->words[r->at]))
		xbuf_printf(&terms, ",%s", r->words[r->at++]);
	out = arguments_own(r->arguments, xbuf_text(&terms), terms.len);
	xbuf_release(&terms);
	return out;
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
	if (row->id == OPT_GOODPUT)
		value = more_terms(r, value);
	add_use(r->arguments, row->id, value);
	return SS_OK;
}

/** A flag that is more than one setting, or none: as --args has it. */
static void paste_flag(struct reader *r, const char *word, const char *value)
{
	struct xbuf line = { 0 };

	engine_flag_line(&line, word, value);
	add_use(r->arguments, OPT_ARGS, arguments_own(r->arguments, xbuf_text(&line), line.len));
	xbuf_release(&line);
}

/** A flag of the engine's own, `-tp 8` or `--enable-expert-parallel`: a setting. */
static enum ss_status take_flag(struct reader *r, const char *word)
{
	struct engine_flag flag;
	const char *value = "";
	enum ss_status rc;

	if (!takes_settings(r->arguments->command) || !engine_flag_find(&flag, word))
		return unknown_option(r, word);
	if (!flag.value) {
		rc = take_value(r, word, flag.attached, &value);
		if (rc)
			return rc;
	}
	if (flag.path)
		arguments_add_setting(r->arguments, flag.path, flag.value ? flag.value : value);
	else
		paste_flag(r, word, value);
	return SS_OK;
}

static enum ss_status take_long(struct reader *r, const char *word)
{
	const char *equals = strchr(word, '=');
	size_t len = equals ? (size_t)(equals - word) : strlen(word);
	const char *name = arguments_own(r->arguments, word + 2, len - 2);
	const struct option_row *row = option_find(r->arguments->command, name);

	if (row && command_takes(r->arguments->command, row))
		return take_option(r, row, arguments_own(r->arguments, word, len),
				   equals ? equals + 1 : NULL);
	return take_flag(r, word);
}

static enum ss_status take_short(struct reader *r, const char *word)
{
	const struct option_row *row = option_of_letter(word[1]);
	const struct option_row *long_row = option_find(r->arguments->command, word + 1);
	const char *attached = NULL;

	/* the engine's own way of a flag, `-tp 8`, where it is an option here */
	if (long_row && word[2] && command_takes(r->arguments->command, long_row))
		return take_option(r, long_row, word, NULL);

	if (!row || !command_takes(r->arguments->command, row) || (word[2] && !row->argument))
		return take_flag(r, word);
	if (word[2])
		attached = word[2] == '=' ? word + 3 : word + 2;
	return take_option(r, row, arguments_own(r->arguments, word, 2), attached);
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
	/* a plan puts a file on the parts it names */
	bool is_moved = a->command && a->command->groups & OPTIONS_PLAN && !words->model;
	bool is_made = words->model || (words->part && !is_moved);
	bool makes_one = a->command && !strcmp(a->command->arguments, "");

	if (is_made && a->name_count && a->command && a->command->most == 1)
		return ss_fail(err, SS_EUSAGE, "model",
			       "give a scenario or --model and --part, not both");
	if (!is_made && (words->nodes || words->gpus_per_node || words->gpus_per_rack ||
			 words->inter_node_gb_s > 0))
		return ss_fail(
			err, SS_EUSAGE, "nodes",
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
		       nearest ? "; did you mean " : ", see stepscope --help",
		       nearest ? nearest : "", nearest ? "?" : "");
}

static enum ss_status count_names(const struct arguments *a, struct ss_error *err)
{
	const struct command *c = a->command;
	size_t most = c ? c->most : 1, given = a->name_count;

	/* What --model makes is one of a pair. */
	if (c && (c->groups & OPTIONS_COMPARE) && a->request.adhoc.model)
		given++;
	if (c && given == most + 1 && a->name_count == most)
		return ss_fail(err, SS_EUSAGE, "model",
			       "%s takes two scenarios, one of --model counts", c->name);
	if (c && given < c->least)
		return ss_fail(err, SS_EUSAGE, c->name, "needs %s: %s", c->arguments, c->help);
	if (a->name_count > most)
		return c ? ss_fail(err, SS_EUSAGE, c->name, "too many words: %s is left over",
				   a->names[most])
			 : no_such_command(a->names[0], err);
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
			(void)!arguments_format(a, word + 9, &ignored);
		else if (!strcmp(word, "--format") && i + 1 < argc)
			(void)!arguments_format(a, argv[i + 1], &ignored);
	}
}

/** Is this a flag of the engine's own whose argument is the next word? */
static bool takes_next(const char *word)
{
	struct engine_flag flag;

	return engine_flag_find(&flag, word) && !flag.value && !flag.attached;
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
			row = option_find(NULL, argv[i] + 2);
		else if (argv[i][1] != '-' && !argv[i][2])
			row = option_of_letter(argv[i][1]);
		if (row ? row->argument != NULL : takes_next(argv[i]))
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
	out->request.model_source = model_source_read;
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
		rc = arguments_interpret(out, &out->uses[i], err);
	if (!rc)
		rc = load_args_take(out, err);
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
