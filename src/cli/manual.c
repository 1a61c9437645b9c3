/* stepscope(1), out of the tables of commands, options, settings, keys and tours. */
#include <ctype.h>
#include <string.h>

#include "app/action.h"
#include "app/colon.h"
#include "app/tour.h"
#include "cli/engine_words.h"
#include "cli/help.h"
#include "cli/topics.h"
#include "stepscope/fields.h"
#include "text/xbuf.h"

/** A help text as a sentence, with more behind it. */
static void put_sentence(struct manual_page *page, const char *name, const char *argument,
			 const char *text, const char *more)
{
	struct xbuf sentence = { 0 };

	xbuf_putc(&sentence, (char)toupper((unsigned char)*text));
	xbuf_printf(&sentence, "%s.%s%s", text + (*text != '\0'), *more ? " " : "", more);
	page_item(page, name, argument, xbuf_text(&sentence));
	xbuf_release(&sentence);
}

static void put_item(struct manual_page *page, const char *name, const char *argument,
		     const char *help)
{
	put_sentence(page, name, argument, help, "");
}

static void put_option(struct manual_page *page, const struct option_row *row)
{
	struct xbuf name = { 0 }, words = { 0 };

	if (row->letter)
		xbuf_printf(&name, "-%c, ", row->letter);
	xbuf_printf(&name, "--%s", row->name);
	if (row->words)
		xbuf_printf(&words, "One of: %s.", row->words);
	put_sentence(page, xbuf_text(&name), row->argument ? row->argument : "", row->help,
		     xbuf_text(&words));
	xbuf_release(&words);
	xbuf_release(&name);
}

static void put_commands(struct manual_page *page)
{
	page_heading(page, "Commands");
	for (int i = 0; i < COMMAND_COUNT; i++) {
		const struct command *c = command_row((enum command_id)i);

		put_item(page, c->name, c->arguments, c->help);
	}
}

static void put_options(struct manual_page *page)
{
	page_heading(page, "Options");
	page_paragraph(page, "Each command takes those that its `--help` lists.");
	for (int i = 0; i < OPT_COUNT; i++)
		put_option(page, option_row((enum option_id)i));
}

static void put_engine(struct manual_page *page)
{
	page_heading(page, "Engine");
	page_paragraph(page, "What may stand after `engine`:");
#define X(id, name, arguments, own, help) put_item(page, name, arguments, help);
	ENGINE_COMMAND_LIST(X)
#undef X
	page_paragraph(page, "and options behind that:");
#define X(name, argument, help) put_item(page, name, argument, help);
	ENGINE_OPTION_LIST(X)
	page_paragraph(page, "A request, for `admit`:");
	ADMIT_TEXT_LIST(X)
#undef X
#define X(name, argument, member, help) put_item(page, name, argument, help);
	ADMIT_NUMBER_LIST(X)
#undef X
#define X(name, member, help) put_item(page, name, "", help);
	ADMIT_FLAG_LIST(X)
#undef X
}

static void put_field(struct manual_page *page, const struct ss_field *field)
{
	struct xbuf flag = { 0 }, more = { 0 };

	if (field->flag)
		xbuf_printf(&flag, "(--%s)", field->flag);
	if (*field->unstated)
		xbuf_printf(&more, "Unstated: %s.", field->unstated);
	if (field->choices)
		xbuf_printf(&more, "%sOne of: %s.", more.len ? " " : "", field->choices);
	put_sentence(page, field->path, xbuf_text(&flag), field->help, xbuf_text(&more));
	xbuf_release(&more);
	xbuf_release(&flag);
}

static void put_fields(struct manual_page *page)
{
	enum ss_field_section section = SS_SECTION_COUNT;

	page_heading(page, "Settings");
	page_paragraph(page, "What `--set` takes. A path may be cut to any tail that names one "
			     "field, as `tp` for `parallel.tp`, and the engine's own flags are "
			     "taken as they are. Numbers take `k` (1000) and `K` (1024).");
	for (int i = 0; i < SS_FIELD_COUNT; i++) {
		const struct ss_field *field = ss_field((enum ss_field_id)i);

		if (field->section != section)
			page_subheading(page, ss_section_name(field->section));
		section = field->section;
		put_field(page, field);
	}
}

/** Keys of one context, with the names that `:` takes. */
static void put_keys(struct manual_page *page, enum action_where where)
{
	bool has_title = false;

	for (int i = 0; i < ACT_COUNT; i++) {
		const struct action_row *row = action_row((enum action_id)i);
		struct xbuf name = { 0 };

		if (row->where != where)
			continue;
		if (!has_title)
			page_subheading(page, action_where_name(where));
		has_title = true;
		xbuf_printf(&name, "(:%s)", row->name);
		put_item(page, *row->keys ? row->keys : "no key", xbuf_text(&name), row->help);
		xbuf_release(&name);
	}
}

static void put_explorer(struct manual_page *page)
{
	page_heading(page, "Keys of the explorer");
	page_paragraph(page, "A key that means something in what is open means that; the rest "
			     "mean the same everywhere. `?` shows those that count now.");
	for (unsigned where = ACTION_ANYWHERE; where < ACTION_WHERE_END; where <<= 1)
		put_keys(page, (enum action_where)where);
	page_heading(page, "Commands of the explorer");
	page_paragraph(page, "Behind `:`, besides the names of keys:");
	for (int i = 0; i < COLON_COUNT; i++) {
		const struct colon_row *row = colon_row((enum colon_id)i);

		put_item(page, row->name, row->arguments, row->help);
	}
	page_heading(page, "Tours");
	page_paragraph(page, "A tour is a text, one step a line; `#` starts a comment. A step "
			     "shows once Space is pressed; what changes runs up to the next "
			     "`say` or `pause`. `expect` checks what is shown; `tour --check` "
			     "runs all of it without a terminal.");
#define X(id, word, argument) page_item(page, word, argument, "");
	TOUR_STEPS(X)
#undef X
}

static void put_databases(struct manual_page *page)
{
	page_heading(page, "Sweeps in SQLite");
	page_paragraph(
		page,
		"`sweep --format sqlite -o sweep.db` keeps millions of rows in one typed "
		"table, `sweep`: `row`, the axes and the figures under the names of the CSV, "
		"an index for each axis; the table `run` says of what. Ten million rows of six "
		"columns took two cores 102 s, 14 MB resident and 679 MB of disk. `merge -o` joins "
		"shards that are databases. The best rate of each width, what is refused, and "
		"the quickest settings that fit:");
	page_lines(page,
		   "sqlite3 sweep.db 'SELECT tp, max(tokens_per_s) FROM sweep GROUP BY tp'\n"
		   "sqlite3 sweep.db 'SELECT code, count(*) FROM sweep GROUP BY code'\n"
		   "sqlite3 sweep.db 'SELECT * FROM sweep WHERE fits ORDER BY itl_s LIMIT 5'\n");
}

static void put_ending(struct manual_page *page)
{
	page_heading(page, "Exit status");
	page_item(page, "0", "", "Priced, whether or not it fits (unless `--require-fit`).");
	page_item(page, "1", "", "Refused, or a check failed.");
	page_item(page, "2", "", "The command line is wrong.");
	page_item(page, "3", "", "A document is wrong.");
	page_item(page, "4", "", "Out of memory, or a file could not be read or written.");
	page_heading(page, "Files written");
	page_paragraph(
		page,
		"A file is written beside its place under a name that cannot be guessed, "
		"flushed to the disk and renamed, so that a full disk or a kill leaves "
		"what was there; what a killed run left is removed by the next. The rights "
		"of the old file are kept, a symbolic link stays one and its file is "
		"written, devices and pipes are written into. A file that holds something "
		"is written over with `--force` alone (the explorer asks), and what a "
		"command reads never is. `sweep --resume` adds to its file row by row, and a new "
		"SQLite file fills in place; one that takes another's place does so when it "
		"is whole.");
	put_databases(page);
	page_heading(page, "Trust");
	page_paragraph(page,
		       "Documents, commands, logs and arguments may come from anybody: they are "
		       "checked, bounded (64 MiB a file, 100,000 groups of requests, 10^12 tokens "
		       "in a batch) and never run. What in them would act on a terminal or turn "
		       "the reading around is spelt out in text, Markdown and errors, and escaped "
		       "in JSON; CSV has it as it is. Among the documents of a folder only plain "
		       "files are read. The folder `$XDG_STATE_HOME/stepscope` is readable by its "
		       "owner alone. Whoever may write to the registry decides the figures.");
	page_heading(page, "Environment");
	page_item(page, "STEPSCOPE_REGISTRY", "",
		  "A registry searched after `--registry` and before all others.");
	page_item(page, "XDG_DATA_HOME", "",
		  "`stepscope/registry` and `stepscope/scenarios` in it are searched before the "
		  "installed ones.");
	page_item(page, "NO_COLOR", "", "When set, text is not coloured unless asked for.");
	page_heading(page, "Examples");
	page_lines(page,
		   "stepscope price deepseek-v3-h200-fp8-tp8 -tp 4\n"
		   "stepscope compare deepseek-v3-h200-fp8-tp8 --set cudagraph_mode=NONE\n"
		   "stepscope sweep --vary tp=2,4,8 --vary batch=1..256:x2 --where fits "
		   "--format csv\n"
		   "stepscope price --model llama-3.1-8b-instruct --part h100 --batch 32x4096 "
		   "--json\n");
	page_heading(page, "See also");
	page_paragraph(page, "`stepscope-tutorial`(7), `stepscope-registry`(5), "
			     "`stepscope-laws`(7)");
}

void topic_program(struct manual_page *page)
{
	page_heading(page, "Synopsis");
	page_lines(page, "stepscope [OPTION...] [SCENARIO]\nstepscope COMMAND [OPTION...] ...\n");
	page_heading(page, "Description");
	page_paragraph(page,
		       "For one deployment of a language model on GPUs, `stepscope` resolves what "
		       "the engine makes of it, prices a step, and shows every value that the "
		       "price stands on.");
	page_paragraph(page,
		       "SCENARIO is a file, the name of one in the scenarios folder, or `-` for "
		       "standard input. One that is named like a command is reached as `./`NAME. "
		       "Without a command the explorer opens on a terminal; elsewhere the report "
		       "is printed. With `--model` and `--part` no file is needed.");
	put_commands(page);
	put_options(page);
	put_engine(page);
	put_fields(page);
	put_explorer(page);
	put_ending(page);
}
