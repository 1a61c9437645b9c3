/*
 * Completion for bash, zsh and fish. What is fixed is written into the scripts;
 * names of documents, settings and coefficients are asked of the program with
 * `--complete KIND WORD`, so that a registry of one's own is completed too.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "case/session.h"
#include "text/xbuf.h"
#include "cli/engine_words.h"
#include "cli/help.h"
#include "cli/run.h"
#include "cli/topics.h"
#include "report/sections.h"
#include "sweep/sweep.h"
#include "stepscope/engine.h"

/** The kind `--complete` is asked for; NULL when the shell knows (files) or nobody does. */
static const char *dynamic_kind(const struct option_row *row)
{
	switch (row->kind) {
	case KIND_MODEL:
		return "models";
	case KIND_PART:
		return "parts";
	case KIND_FABRIC:
		return "fabrics";
	case KIND_FIELD:
		return "settings";
	case KIND_COEFFICIENT:
		return "coefficients";
	case KIND_AXIS:
		return "axes";
	case KIND_COLUMN:
		return "columns";
	case KIND_DIVERGENCE:
		return "divergences";
	case KIND_SECTION:
		return "sections";
	case KIND_NONE:
	case KIND_TEXT:
	case KIND_NUMBER:
	case KIND_FILE:
	case KIND_FOLDER:
	case KIND_WORDS:
		break;
	}
	return NULL;
}

/** What stands beside a command's options. */
static const char *names_kind(const struct command *command)
{
	if (command && command->id == COMMAND_LIST)
		return "lists";
	if (command && command->id == COMMAND_ENGINE)
		return "engine";
	if (command && !*command->arguments)
		return "none";
	return command && (strstr(command->arguments, "FILE") || strstr(command->arguments, "SRC"))
		       ? "files"
		       : "scenarios";
}

/* -- options that only `engine` has ---------------------------------------------------- */

struct engine_word {
	const char *name, *argument, *help;
};

static const struct engine_word engine_words[] = {
#define X(name, argument, help) { name, argument, help },
	ENGINE_OPTION_LIST(X) ADMIT_TEXT_LIST(X)
#undef X
#define X(name, argument, member, help) { name, argument, help },
		ADMIT_NUMBER_LIST(X)
#undef X
#define X(name, member, help) { name, "", help },
			ADMIT_FLAG_LIST(X)
#undef X
};
#define ENGINE_WORDS (sizeof(engine_words) / sizeof(engine_words[0]))

static bool is_stage(const struct engine_word *word)
{
	return !strcmp(word->name, "--stage");
}

/* -- bash ----------------------------------------------------------------------------- */

static void bash_options(struct xbuf *out, const struct command *command)
{
	for (int i = 0; i < OPT_COUNT; i++) {
		const struct option_row *row = option_row((enum option_id)i);

		if (command_takes(command, row))
			xbuf_printf(out, " --%s", row->name);
	}
	if (!command || command->id != COMMAND_ENGINE)
		return;
	for (size_t i = 0; i < ENGINE_WORDS; i++)
		xbuf_printf(out, " %s", engine_words[i].name);
}

static void bash_values(struct xbuf *out)
{
	for (int i = 0; i < OPT_COUNT; i++) {
		const struct option_row *row = option_row((enum option_id)i);
		const char *kind = dynamic_kind(row);

		if (!row->argument)
			continue;
		xbuf_printf(out, "\t--%s", row->name);
		if (row->letter)
			xbuf_printf(out, "|-%c", row->letter);
		if (kind)
			xbuf_printf(out, ") _stepscope_ask %s; return ;;\n", kind);
		else if (row->kind == KIND_FILE)
			xbuf_puts(out,
				  ") compopt -o filenames; COMPREPLY=($(compgen -f -- \"$cur\")); "
				  "return ;;\n");
		else if (row->kind == KIND_FOLDER)
			xbuf_puts(out,
				  ") compopt -o filenames; COMPREPLY=($(compgen -d -- \"$cur\")); "
				  "return ;;\n");
		else
			xbuf_printf(out,
				    ") COMPREPLY=($(compgen -W '%s' -- \"$cur\")); return ;;\n",
				    row->words ? row->words : "");
	}
}

void completion_bash(struct xbuf *out)
{
	xbuf_puts(
		out,
		"# bash completion for stepscope; made by `stepscope --generate bash`.\n"
		"\n"
		"_stepscope_ask()\n"
		"{\n"
		"\tlocal IFS=$'\\n' kept=\n"
		"\tCOMPREPLY=($(compgen -W \"$(stepscope --complete \"$1\" \"$cur\" 2>/dev/null)\" "
		"-- \"$cur\"))\n"
		"\tcase ${COMPREPLY[0]-} in *[=:]) compopt -o nospace ;; esac\n"
		"\t# readline replaces only what follows the last word break.\n"
		"\tcase $cur in *[=:]*) case $COMP_WORDBREAKS in *=*:*|*:*=*)\n"
		"\t\tkept=${cur%\"${cur##*[=:]}\"}\n"
		"\t\tCOMPREPLY=(\"${COMPREPLY[@]#\"$kept\"}\") ;; esac ;; esac\n"
		"}\n"
		"\n"
		"_stepscope()\n"
		"{\n"
		"\tlocal line=${COMP_LINE:0:COMP_POINT} cur prev command= names options word\n"
		"\tlocal -a words\n"
		"\tCOMPREPLY=()\n"
		"\tread -ra words <<<\"$line\"\n"
		"\tcase $line in *[[:space:]]) words+=(\"\") ;; esac\n"
		"\tcur=${words[-1]}\n"
		"\tprev=${words[-2]-}\n"
		"\tcase $cur in --*=*) prev=${cur%%=*} cur=${cur#*=} ;; esac\n"
		"\tfor word in \"${words[@]:1:${#words[@]}-2}\"; do\n"
		"\t\tcase $word in -*) ;; *) command=$word; break ;; esac\n"
		"\tdone\n"
		"\tcase $prev in\n");
	bash_values(out);
	xbuf_puts(out, "\t--stage) _stepscope_ask stages; return ;;\n\tesac\n\tcase $command in\n");
	for (int i = 0; i < COMMAND_COUNT; i++) {
		const struct command *c = command_row((enum command_id)i);

		xbuf_printf(out, "\t%s) names=%s options='", c->name, names_kind(c));
		bash_options(out, c);
		xbuf_puts(out, "' ;;\n");
	}
	xbuf_puts(out, "\t*) names=commands options='");
	bash_options(out, NULL);
	xbuf_puts(
		out,
		"' ;;\n\tesac\n"
		"\tcase $cur in -*) COMPREPLY=($(compgen -W \"$options\" -- \"$cur\")); return ;; "
		"esac\n"
		"\tcase $names in\n"
		"\tnone) ;;\n"
		"\tfiles) compopt -o filenames; COMPREPLY=($(compgen -f -- \"$cur\")) ;;\n"
		"\tcommands)\n"
		"\t\t_stepscope_ask scenarios\n"
		"\t\tCOMPREPLY+=($(compgen -W '");
	for (int i = 0; i < COMMAND_COUNT; i++)
		xbuf_printf(out, "%s%s", i ? " " : "", command_row((enum command_id)i)->name);
	xbuf_puts(out, "' -- \"$cur\") $(compgen -f -X '!*.json' -- \"$cur\")) ;;\n"
		       "\tscenarios)\n"
		       "\t\t_stepscope_ask scenarios\n"
		       "\t\tCOMPREPLY+=($(compgen -f -X '!*.json' -- \"$cur\")) ;;\n"
		       "\t*) _stepscope_ask \"$names\" ;;\n"
		       "\tesac\n"
		       "}\n"
		       "\n"
		       "complete -F _stepscope stepscope\n");
}

/* -- zsh ------------------------------------------------------------------------------ */

/** Inside single quotes and brackets of an _arguments spec. */
static void zsh_text(struct xbuf *out, const char *text)
{
	for (; *text; text++) {
		if (*text == '\'')
			xbuf_puts(out, "'\\''");
		else if (strchr("[]:\\", *text))
			xbuf_printf(out, "\\%c", *text);
		else
			xbuf_putc(out, *text);
	}
}

static void zsh_action(struct xbuf *out, const struct option_row *row)
{
	const char *kind = dynamic_kind(row);

	if (kind)
		xbuf_printf(out, "_stepscope_ask %s", kind);
	else if (row->kind == KIND_FILE)
		xbuf_puts(out, "_files");
	else if (row->kind == KIND_FOLDER)
		xbuf_puts(out, "_files -/");
	else if (row->words)
		xbuf_printf(out, "(%s)", row->words);
	else
		xbuf_putc(out, ' ');
}

static void zsh_options(struct xbuf *out, const struct command *command)
{
	for (int i = 0; i < OPT_COUNT; i++) {
		const struct option_row *row = option_row((enum option_id)i);

		if (!command_takes(command, row))
			continue;
		xbuf_printf(out, " \\\n\t\t\t'*--%s%s[", row->name, row->argument ? "=" : "");
		zsh_text(out, row->help);
		xbuf_putc(out, ']');
		if (row->argument) {
			xbuf_putc(out, ':');
			zsh_text(out, row->argument);
			xbuf_putc(out, ':');
			zsh_action(out, row);
		}
		xbuf_putc(out, '\'');
	}
	for (size_t i = 0; command && command->id == COMMAND_ENGINE && i < ENGINE_WORDS; i++) {
		const struct engine_word *word = &engine_words[i];

		xbuf_printf(out, " \\\n\t\t\t'*%s%s[", word->name, *word->argument ? "=" : "");
		zsh_text(out, word->help);
		xbuf_putc(out, ']');
		if (*word->argument)
			xbuf_printf(out, ":%s:%s", word->argument,
				    is_stage(word) ? "_stepscope_ask stages" : " ");
		xbuf_putc(out, '\'');
	}
}

static void zsh_names(struct xbuf *out, const struct command *command)
{
	const char *kind = names_kind(command);

	if (!strcmp(kind, "files"))
		xbuf_puts(out, " \\\n\t\t\t'*:file:_files'");
	else if (strcmp(kind, "none") != 0)
		xbuf_printf(out, " \\\n\t\t\t'*:name:_stepscope_names %s'", kind);
}

void completion_zsh(struct xbuf *out)
{
	xbuf_puts(out,
		  "#compdef stepscope\n"
		  "# zsh completion for stepscope; made by `stepscope --generate zsh`.\n"
		  "\n"
		  "# _arguments puts options of compadd before the kind.\n"
		  "_stepscope_ask()\n"
		  "{\n"
		  "\tlocal -a found\n"
		  "\tfound=(${(f)\"$(stepscope --complete ${@[-1]} \"$PREFIX\" 2>/dev/null)\"})\n"
		  "\tcompadd \"${@[1,-2]}\" -S '' -- ${(M)found:#*[=:]}\n"
		  "\tcompadd \"${@[1,-2]}\" -- ${found:#*[=:]}\n"
		  "}\n"
		  "\n"
		  "_stepscope_names()\n"
		  "{\n"
		  "\t_stepscope_ask \"$@\"\n"
		  "\t[[ ${@[-1]} == scenarios ]] && _files -g '*.json'\n"
		  "}\n"
		  "\n"
		  "_stepscope()\n"
		  "{\n"
		  "\tlocal -a commands before\n"
		  "\tbefore=(${words[2,CURRENT-1]})\n"
		  "\tlocal command=${before[(r)[^-]*]}\n"
		  "\tcommands=(\n");
	for (int i = 0; i < COMMAND_COUNT; i++) {
		const struct command *c = command_row((enum command_id)i);

		xbuf_printf(out, "\t\t'%s:", c->name);
		zsh_text(out, c->help);
		xbuf_puts(out, "'\n");
	}
	xbuf_puts(out, "\t)\n\tcase $command in\n");
	for (int i = 0; i < COMMAND_COUNT; i++) {
		const struct command *c = command_row((enum command_id)i);

		xbuf_printf(out, "\t%s)\n\t\t_arguments '1:command:'", c->name);
		zsh_options(out, c);
		zsh_names(out, c);
		xbuf_puts(out, " ;;\n");
	}
	xbuf_puts(out, "\t*)\n\t\t_arguments");
	zsh_options(out, NULL);
	xbuf_puts(
		out,
		" \\\n\t\t\t'1:command:{ _describe command commands; _stepscope_names scenarios }' "
		";;\n\tesac\n}\n\n_stepscope \"$@\"\n");
}

/* -- fish ----------------------------------------------------------------------------- */

static void fish_text(struct xbuf *out, const char *text)
{
	for (; *text; text++) {
		if (*text == '\'' || *text == '\\')
			xbuf_putc(out, '\\');
		xbuf_putc(out, *text);
	}
}

/** Files that may be scenarios. */
#define FISH_JSON "(__fish_complete_suffix .json)"

static void fish_option(struct xbuf *out, const struct option_row *row)
{
	const char *kind = dynamic_kind(row);
	bool has_command = false;

	xbuf_puts(out, "complete -c stepscope -n '__fish_seen_subcommand_from");
	for (int i = 0; i < COMMAND_COUNT; i++) {
		if (!command_takes(command_row((enum command_id)i), row))
			continue;
		xbuf_printf(out, " %s", command_row((enum command_id)i)->name);
		has_command = true;
	}
	if (command_takes(NULL, row))
		xbuf_puts(out, has_command ? "; or __fish_use_subcommand"
					   : " -; or __fish_use_subcommand");
	xbuf_printf(out, "' -l %s", row->name);
	if (row->letter)
		xbuf_printf(out, " -s %c", row->letter);
	if (kind)
		xbuf_printf(out, " -x -a '(stepscope --complete %s (commandline -ct))'", kind);
	else if (row->kind == KIND_FOLDER)
		xbuf_puts(out, " -x -a '(__fish_complete_directories)'");
	else if (row->kind == KIND_FILE)
		xbuf_puts(out, " -r -F");
	else if (row->argument)
		xbuf_printf(out, " -x -a '%s'", row->words ? row->words : "");
	xbuf_puts(out, " -d '");
	fish_text(out, row->help);
	xbuf_puts(out, "'\n");
}

void completion_fish(struct xbuf *out)
{
	xbuf_puts(out, "# fish completion for stepscope; made by `stepscope --generate fish`.\n"
		       "complete -c stepscope -f\n");
	for (int i = 0; i < COMMAND_COUNT; i++) {
		const struct command *c = command_row((enum command_id)i);
		const char *kind = names_kind(c);

		xbuf_printf(out, "complete -c stepscope -n __fish_use_subcommand -a %s -d '",
			    c->name);
		fish_text(out, c->help);
		xbuf_puts(out, "'\n");
		xbuf_printf(out, "complete -c stepscope -n '__fish_seen_subcommand_from %s' ",
			    c->name);
		if (!strcmp(kind, "files"))
			xbuf_puts(out, "-F\n");
		else if (!strcmp(kind, "scenarios"))
			xbuf_puts(out, "-a '(stepscope --complete scenarios) " FISH_JSON "'\n");
		else if (!strcmp(kind, "none"))
			xbuf_puts(out, "-f\n");
		else
			xbuf_printf(out, "-a '(stepscope --complete %s)'\n", kind);
	}
	xbuf_puts(out, "complete -c stepscope -n __fish_use_subcommand -a '(stepscope --complete "
		       "scenarios) " FISH_JSON "'\n");
	for (size_t i = 0; i < ENGINE_WORDS; i++) {
		const struct engine_word *word = &engine_words[i];

		xbuf_printf(out,
			    "complete -c stepscope -n '__fish_seen_subcommand_from engine' -l %s%s "
			    "-d '",
			    word->name + 2,
			    is_stage(word)    ? " -x -a '(stepscope --complete stages)'"
			    : *word->argument ? " -x"
					      : "");
		fish_text(out, word->help);
		xbuf_puts(out, "'\n");
	}
	for (int i = 0; i < OPT_COUNT; i++)
		fish_option(out, option_row((enum option_id)i));
}

/* -- asked for ------------------------------------------------------------------------ */

/** A page of the manual as roff, or as HTML behind `html-`. */
static bool generate_topic(const char *word, struct xbuf *out)
{
	bool is_html = !strncmp(word, "html-", 5);
	struct manual_page page = { is_html ? PAGE_HTML : PAGE_ROFF, out, 0 };
	enum topic_id topic = topic_find(is_html ? word + 5 : word);

	if (topic == TOPIC_COUNT)
		return false;
	topic_write(topic, &page);
	return true;
}

bool help_hidden(int argc, char **argv, int *status)
{
	static const struct {
		const char *name;
		void (*make)(struct xbuf *out);
	} files[] = {
		{ "bash", completion_bash },
		{ "zsh", completion_zsh },
		{ "fish", completion_fish },
	};
	struct xbuf text = { 0 };
	bool is_known = false;

	if (argc < 3)
		return false;
	if (!strcmp(argv[1], "--complete")) {
		completion_words(&text, argv[2], argc > 3 ? argv[3] : "");
		is_known = true;
	}
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]) && argc == 3 && !strcmp(argv[1], "--generate"); i++) {
		if (!strcmp(argv[2], files[i].name)) {
			files[i].make(&text);
			is_known = true;
		}
	}
	if (argc == 3 && !strcmp(argv[1], "--generate") && !is_known)
		is_known = generate_topic(argv[2], &text);
	if (is_known)
		*status = batch_print_text(&text);
	xbuf_release(&text);
	return is_known;
}
