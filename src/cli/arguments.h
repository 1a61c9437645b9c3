/**
 * @file
 * A command line read against the tables.
 */
#ifndef CLI_ARGUMENTS_H
#define CLI_ARGUMENTS_H

#include <stdbool.h>
#include <stddef.h>

#include "case/session.h"
#include "cli/commands.h"

enum output_format { FORMAT_TEXT, FORMAT_JSON, FORMAT_CSV, FORMAT_MARKDOWN, FORMAT_SQLITE };

/** One option as it was given. */
struct option_use {
	enum option_id id;
	const char *value; /**< "" when it takes none */
};

struct arguments {
	const struct command *command; /**< NULL: none named, the explorer or the report */
	const char **names;            /**< what stands beside the options */
	size_t name_count;
	struct option_use *uses; /**< in the order given */
	size_t use_count;
	struct session_request request; /**< all but the scenario's name */
	bool has_other_figure;          /**< compare: B under another figure than A */
	enum ss_figure other_figure;
	struct setting *settings;
	size_t setting_count;
	struct ss_whatif *whatifs;
	size_t whatif_count;
	enum output_format format;
	bool is_quiet;
	char **owned; /**< texts made while reading */
	size_t owned_count;
};

/**
 * Read a command line. Always release.
 *
 * @return SS_EUSAGE with `err` filled; then `format` is still right when it stands
 *         anywhere on the line.
 */
SS_NODISCARD enum ss_status arguments_read(struct arguments *out, int argc, char **argv,
					   struct ss_error *err);
void arguments_release(struct arguments *arguments);

/** Was the option given? */
bool arguments_has(const struct arguments *arguments, enum option_id id);
/** Its last value; NULL when it was not given. */
const char *arguments_value(const struct arguments *arguments, enum option_id id);

/** A copy of a part of a text, kept until the arguments are released. */
char *arguments_own(struct arguments *arguments, const char *text, size_t len);

/**
 * Take one option's meaning: those that are the same whatever the command. The rest
 * are left to the command, which asks for their values.
 */
SS_NODISCARD enum ss_status arguments_interpret(struct arguments *arguments,
						const struct option_use *use, struct ss_error *err);

/** Take the word of --format. */
SS_NODISCARD enum ss_status arguments_format(struct arguments *arguments, const char *word,
					     struct ss_error *err);

/** Add a setting; the texts are copied. */
void arguments_add_setting(struct arguments *arguments, const char *path, const char *text);

#endif
