#include "cli/commands.h"

#include <string.h>

#include "cli/run.h"
#include "stepscope/nearest.h"

static const struct option_row options[] = {
#define X(id, name, letter, argument, kind, words, groups, help) \
	{ OPT_##id, name, letter, argument, KIND_##kind, words, groups, help },
	OPTION_LIST(X)
#undef X
};

static const struct command commands[] = {
#define X(id, name, arguments, least, most, groups, run, help) \
	{ COMMAND_##id, name, arguments, least, most, groups, run, help },
	COMMAND_LIST(X)
#undef X
};

/** What the program takes with a scenario and no command: all that a report takes. */
#define EXPLORER_GROUPS (PRICED | OPTIONS_PROGRAM)

const struct option_row *option_row(enum option_id id)
{
	return &options[id];
}

const struct command *command_row(enum command_id id)
{
	return &commands[id];
}

const struct command *command_find(const char *name)
{
	for (size_t i = 0; i < COMMAND_COUNT; i++)
		if (!strcmp(commands[i].name, name))
			return &commands[i];
	return NULL;
}

bool command_takes(const struct command *command, const struct option_row *option)
{
	unsigned groups = command ? command->groups : EXPLORER_GROUPS;

	/* What stands before such a command is the program's. */
	if (groups & OPTIONS_OWN)
		groups |= OPTIONS_REGISTRY;
	return (option->groups & groups) != 0;
}

const char *command_nearest(const char *name)
{
	const char *names[COMMAND_COUNT];

	for (size_t i = 0; i < COMMAND_COUNT; i++)
		names[i] = commands[i].name;
	return ss_closest_word(name, names, COMMAND_COUNT);
}

const struct option_row *option_find(const struct command *command, const char *name)
{
	const struct option_row *found = NULL;

	for (size_t i = 0; i < OPT_COUNT; i++) {
		if (strcmp(options[i].name, name) != 0)
			continue;
		if (command_takes(command, &options[i]))
			return &options[i];
		found = found ? found : &options[i];
	}
	return found;
}

const struct option_row *option_of_letter(char letter)
{
	for (size_t i = 0; i < OPT_COUNT; i++)
		if (options[i].letter && options[i].letter == letter)
			return &options[i];
	return NULL;
}
