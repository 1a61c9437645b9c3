/**
 * @file
 * Corrections of the room for KV: where logs show that the engine holds more or
 * less than the terms of memory say.
 */
#ifndef STEPSCOPE_RESOLVE_CORRECTIONS_H
#define STEPSCOPE_RESOLVE_CORRECTIONS_H

#include "resolve/kernel_impl.h"

/**
 * What the workspace correction adds to the room.
 *
 * @param is_single the engine runs no communicator: one rank.
 */
int64_t workspace_room(int64_t workspace_bytes, bool is_single);

/** Is the workspace the vendor's lump, the one figure the correction knows? */
bool is_vendor_workspace(const struct ss_kernel *k, struct coef workspace);

struct weights;

/** Put the corrections that apply and are on into k->memory. */
void correct_room(struct ss_kernel *k, struct coef workspace, const struct weights *w);

#endif
