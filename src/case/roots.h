/**
 * @file
 * Where the registry and the ready-made scenarios are looked for. The only part
 * of the program, with the terminal, that reads the environment.
 */
#ifndef CASE_ROOTS_H
#define CASE_ROOTS_H

#include <stddef.h>

#define ROOTS_MAX 6

/** Registry roots that exist, in the order searched. */
struct roots {
	char *items[ROOTS_MAX];
	size_t count;
};

/**
 * `registry` (from the command line, or NULL), $STEPSCOPE_REGISTRY, the registry of
 * the source tree that the program is run in or below, $XDG_DATA_HOME/stepscope/registry, the
 * installed one.
 */
void roots_find(struct roots *out, const char *registry);
void roots_release(struct roots *roots);

/**
 * The file of a scenario named `name`: a path as it stands when it is one, else
 * NAME.json in the scenarios beside each root.
 *
 * @return for the caller to free; NULL when there is none.
 */
char *roots_scenario(const struct roots *roots, const char *name);

/** The same for a tour: a path, or NAME.tour in the `tours` of those folders. */
char *roots_tour(const struct roots *roots, const char *name);

/** Names of the scenarios of all roots, sorted, each once; free with names_free(). */
void roots_scenarios(const struct roots *roots, char ***names, size_t *count);
void names_free(char **names, size_t count);

#endif
