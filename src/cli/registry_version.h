/**
 * @file
 * Which registry is read: its version, what each version brought, and a hash of its
 * documents, from the table `releases.csv` that lies in it.
 */
#ifndef CLI_REGISTRY_VERSION_H
#define CLI_REGISTRY_VERSION_H

#include "cli/run.h"

/** One line on the first registry there is, `registry` as --registry names it, or NULL. */
void registry_version_say(struct xbuf *out, const char *registry);

/** `list registry`: what each version brought, newest first. */
int list_registry(struct batch *batch, const struct session *session);

#endif
