/*
 * Bringing in what others wrote: a launch command, a log or YAML becomes a scenario that
 * is shown, with what became of each flag, before it takes the place of the open one.
 */
#ifndef APP_BRING_H
#define APP_BRING_H

#include "app/app.h"
#include "import/import_source.h"

/** Does this file hold something to bring in, and no scenario of ours? */
bool bring_is_for(const char *path);

/** The same of a file nobody named: it must speak of vLLM. */
bool bring_is_likely(const char *path);

/**
 * Offer the scenario of a text; a text that makes none is said why.
 *
 * @param file what problems name; its suffix may tell the kind.
 * @return whether it is offered.
 */
bool bring_text(struct app *app, const char *file, const char *text, size_t length);

/** The same for what a file holds. */
bool bring_file(struct app *app, const char *path);

/** Ask the loop to bring in a file. */
unsigned bring_ask(struct app *app, const char *file);

/** Open a scenario by name or file, or bring in what the file holds; asks for edits first. */
unsigned bring_open(struct app *app, const char *name);

/** Open what is offered, or ask first when edits would be lost. */
unsigned bring_take(struct app *app, bool is_sure);
void bring_drop(struct app *app);

/** `-tp 8 --max-model-len 16k`: take flags of the engine into the pool shown, as one edit. */
unsigned bring_flags(struct app *app, const char *flags);

#endif
