/**
 * @file
 * The audit of a state of the explorer: the document of `report`, then what the
 * walk has reviewed of it.
 */
#ifndef CLI_SIGNED_AUDIT_H
#define CLI_SIGNED_AUDIT_H

#include "app/app.h"

/** Add it as Markdown. There must be a quote, of the draft as it is. */
void signed_audit(struct xbuf *out, const struct app *app);

#endif
