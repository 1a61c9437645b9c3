/*
 * What the explorer does the same way every time: options of one's own, read from
 * $XDG_CONFIG_HOME/stepscope/config. One table feeds the reader, `:options` and its help.
 */
#ifndef APP_OWN_OPTIONS_H
#define APP_OWN_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

#include "stepscope/status.h"
#include "text/xbuf.h"

/* id, name, words it takes, the first of which holds when nothing is said; help */
/* clang-format off */
#define OWN_OPTION_LIST(X)                                                                  \
	X(MOUSE,  "mouse",  "off on",                              "take the mouse")            \
	X(COLOR,  "color",  "auto always never",                   "colours (auto: where the terminal has them)") \
	X(DRAW,   "draw",   "auto ascii blocks",                   "lines and plots (auto: what locale and TERM can show)") \
	X(FIGURE, "figure", "auto serial no_overlap overlap kernels", "the figure that leads (auto: kernels where the part has their times)") \
	X(PANE,   "pane",   "step resolved provenance evidence memory batch compare engine model", "the pane beside the deployment at the start")

enum own_option_id {
#define OWN_OPTION_ENUM(id, name, words, help) OWN_##id,
	OWN_OPTION_LIST(OWN_OPTION_ENUM)
#undef OWN_OPTION_ENUM
	OWN_COUNT
};
/* clang-format on */

/** `{ 0 }`: nothing is said of any. */
struct own_options {
	int values[OWN_COUNT]; /**< which of the option's words */
	int lines[OWN_COUNT];  /**< of the file; 0: not from it, -1: from the command line */
};

/**
 * Read `NAME = WORD` lines; `#` and `;` begin comments, `[explorer]` may stand above.
 *
 * @param file names the text in `err`, with its line.
 * @return SS_EDOCUMENT for a line that says nothing of these; those before it hold.
 */
SS_NODISCARD enum ss_status own_options_read(struct own_options *options, const char *text,
					     const char *file, struct ss_error *err);

/** The word that holds, into `out`, which is returned. */
const char *own_option(const struct own_options *options, enum own_option_id id, char *out,
		       size_t size);
bool own_option_is(const struct own_options *options, enum own_option_id id, const char *word);

/** State one from the command line; false when it does not take the word. */
bool own_option_set(struct own_options *options, enum own_option_id id, const char *word);

/** Each with its value, where that came from and what it takes, a line each. */
void own_options_list(struct xbuf *out, const struct own_options *options, const char *file);

#endif
