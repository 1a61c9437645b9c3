#include "cli/help.h"

#include <stdio.h>
#include <string.h>

#include "text/words.h"
#include "sweep/sweep.h"
#include "cli/engine_words.h"

#define HELP_INDENT 30
#define HELP_WIDTH 100

/** `text` in lines of HELP_WIDTH, starting at column HELP_INDENT. */
static void put_help(struct xbuf *out, size_t column, const char *text)
{
	size_t width = HELP_WIDTH - HELP_INDENT;

	if (column + 2 > HELP_INDENT) {
		xbuf_putc(out, '\n');
		column = 0;
	}
	xbuf_pad(out, ' ', HELP_INDENT - column);
	while (strlen(text) > width) {
		size_t len = width;

		while (len && text[len] != ' ')
			len--;
		len = len ? len : width;
		xbuf_add(out, text, len);
		text += len + (text[len] == ' ');
		xbuf_putc(out, '\n');
		xbuf_pad(out, ' ', HELP_INDENT);
	}
	xbuf_printf(out, "%s\n", text);
}

static void put_option(struct xbuf *out, const struct option_row *row)
{
	struct xbuf left = { 0 }, help = { 0 };

	if (row->letter)
		xbuf_printf(&left, "  -%c, --%s", row->letter, row->name);
	else
		xbuf_printf(&left, "      --%s", row->name);
	if (row->argument)
		xbuf_printf(&left, " %s", row->argument);
	xbuf_puts(out, xbuf_text(&left));
	xbuf_puts(&help, row->help);
	if (row->words)
		xbuf_printf(&help, "; one of: %s", row->words);
	put_help(out, left.len, xbuf_text(&help));
	xbuf_release(&help);
	xbuf_release(&left);
}

/** Names that --only, --where and --best of a sweep take. */
static void put_columns(struct xbuf *out)
{
	struct xbuf names = { 0 };

	for (int i = 0; i < SWEEP_COLUMN_COUNT; i++)
		xbuf_printf(&names, "%s%s", i ? ", " : "", sweep_column_name((enum sweep_column)i));
	xbuf_puts(out, "\nColumns beside the key and the axes:\n");
	put_help(out, 0, xbuf_text(&names));
	xbuf_release(&names);
}

struct option_heading {
	unsigned group;
	const char *title;
};

static const struct option_heading headings[] = {
	{ OPTIONS_SWEEP, "Sweep" },
	{ OPTIONS_COMPARE, "Compare" },
	{ OPTIONS_FIT, "Fit" },
	{ OPTIONS_SERVE, "Serve" },
	{ OPTIONS_SCORE, "Score" },
	{ OPTIONS_PLAN, "Plan" },
	{ OPTIONS_LOAD, "The load" },
	{ OPTIONS_TOUR, "Tour" },
	{ OPTIONS_EXPORT, "Export" },
	{ OPTIONS_IMPORT, "Import" },
	{ OPTIONS_CASE, "Which deployment" },
	{ OPTIONS_BATCH | OPTIONS_PRICE, "The batch and its price" },
	{ OPTIONS_ONLY | OPTIONS_CHECK | OPTIONS_OUTPUT | OPTIONS_PROGRAM, "Output" },
	{ OPTIONS_REGISTRY, "Documents" },
};

#define HEADING_COUNT (sizeof(headings) / sizeof(headings[0]))

/** Each option stands under the first heading of a group by which the command takes it. */
static size_t heading_of(const struct option_row *row, const struct command *command)
{
	unsigned groups = command ? row->groups & command->groups : row->groups;

	for (size_t h = 0; h < HEADING_COUNT; h++)
		if (groups & headings[h].group)
			return h;
	return HEADING_COUNT - 1;
}

static void put_options(struct xbuf *out, const struct command *command)
{
	for (size_t h = 0; h < HEADING_COUNT; h++) {
		bool has_title = false;

		for (int i = 0; i < OPT_COUNT; i++) {
			const struct option_row *row = option_row((enum option_id)i);

			if (heading_of(row, command) != h || !command_takes(command, row))
				continue;
			if (!has_title)
				xbuf_printf(out, "\n%s:\n", headings[h].title);
			has_title = true;
			put_option(out, row);
		}
	}
}

static void put_row(struct xbuf *out, const char *name, const char *argument, const char *help)
{
	struct xbuf left = { 0 };

	xbuf_printf(&left, "  %s%s%s", name, *argument ? " " : "", argument);
	xbuf_puts(out, xbuf_text(&left));
	put_help(out, left.len, help);
	xbuf_release(&left);
}

/** `engine` has words and options of its own. */
static void put_engine(struct xbuf *out)
{
	xbuf_puts(out, "\nWhat:\n");
#define X(id, name, arguments, own, help) put_row(out, name, arguments, help);
	ENGINE_COMMAND_LIST(X)
#undef X
	xbuf_puts(out, "\nOptions after it, besides --json, -o and --registry:\n");
#define X(name, argument, help) put_row(out, name, argument, help);
	ENGINE_OPTION_LIST(X)
	xbuf_puts(out, "\nThe request of admit:\n");
	ADMIT_TEXT_LIST(X)
#undef X
#define X(name, argument, member, help) put_row(out, name, argument, help);
	ADMIT_NUMBER_LIST(X)
#undef X
#define X(name, member, help) put_row(out, name, "", help);
	ADMIT_FLAG_LIST(X)
#undef X
}

static void put_commands(struct xbuf *out)
{
	xbuf_puts(out, "\nCommands:\n");
	for (int i = 0; i < COMMAND_COUNT; i++) {
		const struct command *c = command_row((enum command_id)i);
		struct xbuf left = { 0 };

		xbuf_printf(&left, "  %s %s", c->name, c->arguments);
		xbuf_puts(out, xbuf_text(&left));
		put_help(out, left.len, c->help);
		xbuf_release(&left);
	}
}

static const char about[] = "What one LLM-serving deployment resolves to, what its price rests on, "
			    "and what a step and\n"
			    "a GPU cost.\n";

static const char statuses[] = "\nStatus: 0 priced; 1 refused, or a check says no; 2 a wrong "
			       "command line; 3 a wrong document;\n"
			       "4 no memory, or a file that cannot be read or written.\n";

void help_text(struct xbuf *out, const struct command *command)
{
	if (command) {
		xbuf_printf(out, "usage: stepscope %s [OPTION...]%s%s\n\n", command->name,
			    *command->arguments ? " " : "", command->arguments);
		xbuf_printf(out, "%c%s.\n",
			    command->help[0] - ('a' <= command->help[0] && command->help[0] <= 'z'
							? 'a' - 'A'
							: 0),
			    command->help + 1);
		if (command->id == COMMAND_ENGINE)
			put_engine(out);
		put_options(out, command);
		if (command->groups & OPTIONS_SWEEP)
			put_columns(out);
	} else {
		xbuf_puts(out, "usage: stepscope [OPTION...] [SCENARIO]\n"
			       "       stepscope COMMAND [OPTION...] ...\n\n");
		xbuf_puts(out, about);
		xbuf_puts(out,
			  "Without a command: the explorer on a terminal, the report elsewhere.\n"
			  "SCENARIO is a file, a name in the scenarios folder, or - for standard "
			  "input.\n");
		put_commands(out);
		put_options(out, NULL);
		xbuf_puts(out, "\nstepscope COMMAND --help tells more. Settings also go by the "
			       "engine's own "
			       "flags:\n-tp 8, --max-model-len 32k, --enable-expert-parallel.\n");
	}
	xbuf_puts(out, statuses);
}
