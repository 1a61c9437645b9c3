/**
 * @file
 * `stepscope engine`: the engine reference on the command line.
 */
#ifndef CLI_ENGINE_CMD_H
#define CLI_ENGINE_CMD_H

#include <stdio.h>

/**
 * Run one engine command.
 *
 * @param argc   how many words; argv[0] is the command, `list` say.
 * @param argv   words after `engine`; not changed.
 * @param folder where packs lie, `registry/engines`; NULL: only paths are taken.
 * @param out    answers go here.
 * @param err    problems go here, one line each.
 * @return the exit status, see enum exit_status of run.h.
 */
int engine_command(int argc, char **argv, const char *folder, FILE *out, FILE *err);

#endif
