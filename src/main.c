#include "config.h"

#include <cjson/cJSON.h>
#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "app/bring.h"
#include "cli/arguments.h"
#include "cli/help.h"
#include "cli/registry_version.h"
#include "cli/run.h"
#include "cli/signed_audit.h"
#include "cli/tour.h"
#include "text/xbuf.h"
#include "term/explorer.h"

static int show_help(const struct arguments *arguments)
{
	struct xbuf text = { 0 };
	int status;

	if (arguments_has(arguments, OPT_HELP))
		help_text(&text, arguments->command);
	else
		xbuf_puts(&text, PACKAGE_STRING "\n");
	if (!arguments_has(arguments, OPT_HELP))
		registry_version_say(&text, arguments->request.registry);
	status = batch_print_text(&text);
	xbuf_release(&text);
	return status;
}

/** Without a command (or for a tour), on a terminal and with nothing said of the output. */
static bool wants_explorer(const struct arguments *arguments)
{
	bool is_tour = arguments->command && arguments->command->id == COMMAND_TOUR;

	if (is_tour ? arguments_has(arguments, OPT_CHECK) : arguments->command != NULL)
		return false;
	return arguments->format == FORMAT_TEXT && isatty(STDOUT_FILENO) &&
	       !arguments_has(arguments, OPT_OUTPUT) && !arguments_has(arguments, OPT_FORMAT);
}

static int explore(struct arguments *arguments)
{
	const char *color = arguments_value(arguments, OPT_COLOR);
	struct explorer_options options = {
		.term = { .in_fd = STDIN_FILENO, .out_fd = STDOUT_FILENO },
		.audit = signed_audit,
	};
	struct session_request request = arguments->request;
	const char *every = arguments_value(arguments, OPT_AUTO);
	struct tour tour = { 0 };
	struct session session;
	struct ss_error err = { 0 };
	enum ss_status rc;
	int status;

	if (color)
		(void)own_option_set(&options.own, OWN_COLOR, color);
	if (arguments_has(arguments, OPT_MOUSE))
		(void)own_option_set(&options.own, OWN_MOUSE, "on");
	if (arguments_has(arguments, OPT_BLOCKS))
		(void)own_option_set(&options.own, OWN_DRAW, "blocks");
	if (arguments_has(arguments, OPT_ASCII))
		(void)own_option_set(&options.own, OWN_DRAW, "ascii");
	if (arguments->command) {
		status = tour_open(&tour, &session, arguments);
		options.tour = &tour;
		options.figures = tour_json_figures;
		options.auto_s = every ? strtod(every, NULL) : 0;
		if (!status)
			status = explorer_run(&session, &options);
		session_release(&session);
		return status;
	}
	request.scenario = arguments->name_count ? arguments->names[0] : NULL;
	/* What others wrote is offered over the scenario that opens without a name. */
	if (request.scenario && bring_is_for(request.scenario)) {
		options.import = request.scenario;
		request.scenario = NULL;
	}
	rc = session_open(&session, &request, &err);
	/* A refused deployment is what the explorer is for; the rest the report says as well. */
	status = !rc || rc == SS_EREFUSED ? explorer_run(&session, &options) : -1;
	session_release(&session);
	return status < 0 ? batch_run(arguments) : status;
}

int main(int argc, char **argv)
{
	struct arguments arguments;
	struct ss_error err = { 0 };
	int status;

	/* The character set alone: numbers must read the same everywhere. */
	(void)setlocale(LC_CTYPE, "");
	/* Memory that runs out ends the program here, not as text that does not parse. */
	cJSON_InitHooks(&(cJSON_Hooks){ xmalloc, free });
	/* A file past the limit is a write that fails, and is said. */
	(void)signal(SIGXFSZ, SIG_IGN);
	if (help_hidden(argc, argv, &status))
		return status;
	if (arguments_read(&arguments, argc, argv, &err))
		status = batch_bad_usage(&arguments, &err);
	else if (arguments_has(&arguments, OPT_HELP) || arguments_has(&arguments, OPT_VERSION))
		status = show_help(&arguments);
	else if (wants_explorer(&arguments))
		status = explore(&arguments);
	else
		status = batch_run(&arguments);
	arguments_release(&arguments);
	return status;
}
