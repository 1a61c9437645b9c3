/*
 * The explorer's loop: keys to actions, actions to files and clipboard, state
 * to the glass.
 */
#ifndef TERM_EXPLORER_H
#define TERM_EXPLORER_H

#include "case/session.h"
#include "app/tour.h"
#include "term/term.h"

struct explorer_options {
	struct term_options term;
	struct tour *tour;           /**< to play, taken over; NULL: none */
	struct tour_figures figures; /**< what its expectations look at */
	struct own_options own;      /**< options of one's own, the command line's among them */
	const char *import;          /**< file to offer the import of; NULL: none */
	double auto_s;               /**< seconds between its steps; 0: a key each */
	/** Adds the audit of a state as Markdown; NULL: none can be exported. */
	void (*audit)(struct xbuf *out, const struct app *app);
};

/**
 * Run until the user leaves.
 *
 * @param session opened, priced or refused; stays the caller's, whose registry
 *                may be another one afterwards.
 * @return the exit status of the program.
 */
int explorer_run(struct session *session, struct explorer_options *options);

#endif
