/* stepscope(1), out of the tables of commands, options and fields. */
#include <ctype.h>
#include <string.h>

#include "text/xbuf.h"
#include "cli/engine_words.h"
#include "cli/help.h"
#include "stepscope/fields.h"

/** Text as roff shows it: dashes kept, no line starting as a request. */
static void put_roff(struct xbuf *out, const char *text)
{
	if (*text == '.' || *text == '\'')
		xbuf_puts(out, "\\&");
	for (; *text; text++) {
		if (*text == '-')
			xbuf_puts(out, "\\-");
		else if (*text == '\\')
			xbuf_puts(out, "\\e");
		else if (*text == '`')
			xbuf_puts(out, "\\(aq");
		else
			xbuf_putc(out, *text);
	}
}

static void put_upper(struct xbuf *out, const char *word)
{
	for (; *word; word++)
		xbuf_putc(out, (char)toupper((unsigned char)*word));
}

/** Small letters to letters that start a sentence. */
static void put_sentence(struct xbuf *out, const char *text)
{
	char first[2] = { (char)toupper((unsigned char)*text), '\0' };

	xbuf_puts(out, first);
	put_roff(out, text + 1);
	xbuf_puts(out, ".\n");
}

static void put_option(struct xbuf *out, const struct option_row *row)
{
	xbuf_puts(out, ".TP\n");
	if (row->letter)
		xbuf_printf(out, "\\fB\\-%c\\fR, ", row->letter);
	xbuf_puts(out, "\\fB\\-\\-");
	put_roff(out, row->name);
	xbuf_puts(out, "\\fR");
	if (row->argument) {
		xbuf_puts(out, " \\fI");
		put_roff(out, row->argument);
		xbuf_puts(out, "\\fR");
	}
	xbuf_putc(out, '\n');
	put_sentence(out, row->help);
	if (row->words) {
		xbuf_puts(out, "One of: ");
		put_roff(out, row->words);
		xbuf_puts(out, ".\n");
	}
}

static void put_commands(struct xbuf *out)
{
	xbuf_puts(out, ".SH COMMANDS\n");
	for (int i = 0; i < COMMAND_COUNT; i++) {
		const struct command *c = command_row((enum command_id)i);

		xbuf_puts(out, ".TP\n\\fB");
		put_roff(out, c->name);
		xbuf_puts(out, "\\fR \\fI");
		put_roff(out, c->arguments);
		xbuf_puts(out, "\\fR\n");
		put_sentence(out, c->help);
	}
}

static void put_options(struct xbuf *out)
{
	xbuf_puts(out,
		  ".SH OPTIONS\nEach command takes those that its \\fB\\-\\-help\\fR lists.\n");
	for (int i = 0; i < OPT_COUNT; i++)
		put_option(out, option_row((enum option_id)i));
}

static void put_item(struct xbuf *out, const char *name, const char *argument, const char *help)
{
	xbuf_puts(out, ".TP\n\\fB");
	put_roff(out, name);
	xbuf_puts(out, *argument ? "\\fR \\fI" : "");
	put_roff(out, argument);
	xbuf_puts(out, "\\fR\n");
	put_sentence(out, help);
}

static void put_engine(struct xbuf *out)
{
	xbuf_puts(out, ".SH ENGINE\nWhat may stand after \\fBengine\\fR:\n");
#define X(id, name, arguments, own, help) put_item(out, name, arguments, help);
	ENGINE_COMMAND_LIST(X)
#undef X
	xbuf_puts(out, ".PP\nand options behind that:\n");
#define X(name, argument, help) put_item(out, name, argument, help);
	ENGINE_OPTION_LIST(X)
	xbuf_puts(out, ".PP\nA request, for \\fBadmit\\fR:\n");
	ADMIT_TEXT_LIST(X)
#undef X
#define X(name, argument, member, help) put_item(out, name, argument, help);
	ADMIT_NUMBER_LIST(X)
#undef X
#define X(name, member, help) put_item(out, name, "", help);
	ADMIT_FLAG_LIST(X)
#undef X
}

static void put_fields(struct xbuf *out)
{
	enum ss_field_section section = SS_SECTION_COUNT;

	xbuf_puts(out,
		  ".SH SETTINGS\nWhat \\fB\\-\\-set\\fR takes. A path may be cut to any tail that "
		  "names one field, as \\fBtp\\fR for \\fBparallel.tp\\fR, and the engine's own "
		  "flags are taken as they are. Numbers take \\fBk\\fR (1000) and \\fBK\\fR "
		  "(1024).\n");
	for (int i = 0; i < SS_FIELD_COUNT; i++) {
		const struct ss_field *field = ss_field((enum ss_field_id)i);

		if (field->section != section) {
			xbuf_puts(out, ".SS ");
			put_upper(out, ss_section_name(field->section));
			xbuf_putc(out, '\n');
		}
		section = field->section;
		xbuf_puts(out, ".TP\n\\fB");
		put_roff(out, field->path);
		xbuf_puts(out, "\\fR");
		if (field->flag) {
			xbuf_puts(out, " (\\fB\\-\\-");
			put_roff(out, field->flag);
			xbuf_puts(out, "\\fR)");
		}
		xbuf_putc(out, '\n');
		put_sentence(out, field->help);
		if (*field->unstated) {
			xbuf_puts(out, "Unstated: ");
			put_roff(out, field->unstated);
			xbuf_puts(out, ".\n");
		}
		if (field->choices) {
			xbuf_puts(out, "One of: ");
			put_roff(out, field->choices);
			xbuf_puts(out, ".\n");
		}
	}
}

static const char opening[] =
	".SH NAME\n"
	"stepscope \\- what an LLM\\-serving deployment runs, rests on and costs\n"
	".SH SYNOPSIS\n"
	".B stepscope\n"
	"[\\fIOPTION\\fR...] [\\fISCENARIO\\fR]\n"
	".br\n"
	".B stepscope\n"
	"\\fICOMMAND\\fR [\\fIOPTION\\fR...] ...\n"
	".SH DESCRIPTION\n"
	"For one deployment of a language model on GPUs, \\fBstepscope\\fR resolves what the\n"
	"engine makes of it, prices a step, and shows every value that the price stands on.\n"
	".PP\n"
	"\\fISCENARIO\\fR is a file, the name of one in the scenarios folder, or \\fB\\-\\fR for "
	"standard\n"
	"input. One that is named like a command is reached as \\fB./\\fR\\fINAME\\fR. Without a "
	"command the\n"
	"explorer opens on a terminal; elsewhere the report is printed. With \\fB\\-\\-model\\fR "
	"and\n"
	"\\fB\\-\\-part\\fR no file is needed.\n";

static const char ending[] =
	".SH EXIT STATUS\n"
	".TP\n.B 0\nPriced, whether or not it fits (unless \\fB\\-\\-require\\-fit\\fR).\n"
	".TP\n.B 1\nRefused, or a check failed.\n"
	".TP\n.B 2\nThe command line is wrong.\n"
	".TP\n.B 3\nA document is wrong.\n"
	".TP\n.B 4\nOut of memory, or a file could not be read or written.\n"
	".SH ENVIRONMENT\n"
	".TP\n.B STEPSCOPE_REGISTRY\nA registry searched after \\fB\\-\\-registry\\fR and before "
	"all others.\n"
	".TP\n.B XDG_DATA_HOME\n\\fBstepscope/registry\\fR and \\fBstepscope/scenarios\\fR in it "
	"are searched "
	"before the installed ones.\n"
	".TP\n.B NO_COLOR\nWhen set, text is not coloured unless asked for.\n"
	".SH EXAMPLES\n"
	".nf\n"
	"stepscope price deepseek\\-v3\\-h200\\-fp8\\-tp8 \\-tp 4\n"
	"stepscope compare deepseek\\-v3\\-h200\\-fp8\\-tp8 \\-\\-set cudagraph_mode=NONE\n"
	"stepscope sweep \\-\\-vary tp=2,4,8 \\-\\-vary count=1..256:x2 \\-\\-where fits "
	"\\-\\-format csv\n"
	"stepscope price \\-\\-model llama\\-3.1\\-8b\\-instruct \\-\\-part h100 \\-\\-batch "
	"32x4096 \\-\\-json\n"
	".fi\n";

void help_manual(struct xbuf *out)
{
	xbuf_puts(out, ".TH STEPSCOPE 1 \"\" \"stepscope\" \"User Commands\"\n");
	xbuf_puts(out, opening);
	put_commands(out);
	put_options(out);
	put_engine(out);
	put_fields(out);
	xbuf_puts(out, ending);
}
