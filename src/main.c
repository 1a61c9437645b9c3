#include "config.h"

#include <locale.h>
#include <stdio.h>

#include "batch/arguments.h"
#include "batch/help.h"
#include "batch/run.h"

static int print(const struct xbuf *text)
{
	return fputs(xbuf_text(text), stdout) < 0 || fflush(stdout) ? EXIT_FAILED : EXIT_PRICED;
}

static int show_help(const struct arguments *arguments)
{
	struct xbuf text = { 0 };
	int status;

	help_text(&text, arguments->command);
	status = print(&text);
	xbuf_release(&text);
	return status;
}

int main(int argc, char **argv)
{
	struct arguments arguments;
	struct ss_error err = { 0 };
	int status;

	/* The character set alone: numbers must read the same everywhere. */
	(void)setlocale(LC_CTYPE, "");
	if (help_hidden(argc, argv, &status))
		return status;
	if (arguments_read(&arguments, argc, argv, &err))
		status = batch_bad_usage(&arguments, &err);
	else if (arguments_has(&arguments, OPT_HELP))
		status = show_help(&arguments);
	else if (arguments_has(&arguments, OPT_VERSION))
		status = puts(PACKAGE_STRING) < 0 ? EXIT_FAILED : EXIT_PRICED;
	else
		status = batch_run(&arguments);
	arguments_release(&arguments);
	return status;
}
