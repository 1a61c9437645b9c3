/*
 * The explorer's files, and what its loop and they share.
 */
#ifndef TERM_EXPLORER_FILES_H
#define TERM_EXPLORER_FILES_H

#include "app/keep.h"
#include "term/explorer.h"
#include "term/prompt.h"
#include "view/screen.h"

struct explorer {
	struct app app;
	struct screen screen;
	struct page page;
	struct session *session;
	char *state_dir;             /* NULL: nothing is kept */
	struct store_stamp exported; /* the export written last, of any name */
	struct keeper *keeper;       /* NULL: the same */
	struct prompt_history *commands, *words;
	char own_file[512], own_error[640]; /* options of one's own, and what is wrong there */
	bool is_leaving, needs_repaint;
};

/** Write the session down after a change; nothing without a place for it. */
void explorer_keep_session(struct explorer *e);
/** Offer a session that was cut short, if there is one. */
void explorer_offer_session(struct explorer *e);
/** The answer to that. */
unsigned explorer_recover(struct explorer *e, bool is_wanted);

/** Write the scenario and its review to app.wanted, or ask first. */
void explorer_save(struct explorer *e);
/** Write app.clipboard to app.wanted, or ask first. */
void explorer_export(struct explorer *e);

/** Scenarios to choose from. */
void explorer_list_scenarios(struct explorer *e);
/** Open app.wanted. */
unsigned explorer_open_scenario(struct explorer *e);
/** Know the files of the scenario that was opened, and read its review. */
void explorer_open_files(struct explorer *e);
/** Read the registry, the scenario and its review anew. */
unsigned explorer_reload(struct explorer *e);

#endif
