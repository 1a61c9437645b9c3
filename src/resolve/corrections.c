#include "resolve/corrections.h"

#include <math.h>

#include "price/integers.h"
#include "resolve/memory.h"
#include "resolve/weights.h"

#define GIB 1073741824.0

/** The lump of the vendor's system descriptions. */
#define VENDOR_WORKSPACE (3.5 * GIB)
/** What logged starts hold instead, on one rank and on more. */
#define SINGLE_WORKSPACE (0.5 * GIB)
#define GROUP_WORKSPACE (2.25 * GIB)

int64_t workspace_room(int64_t workspace_bytes, bool is_single)
{
	return workspace_bytes - (int64_t)(is_single ? SINGLE_WORKSPACE : GROUP_WORKSPACE);
}

bool is_vendor_workspace(const struct ss_kernel *k, struct coef workspace)
{
	const struct basis_entry *entry;

	if (!coef_is_set(workspace) || workspace.value < VENDOR_WORKSPACE ||
	    workspace.value > VENDOR_WORKSPACE)
		return false;
	entry = &k->basis->entries[workspace.entry];
	return !entry->is_whatif && entry->coefficient &&
	       entry->coefficient->method == SS_METHOD_VENDOR_SPEC;
}

static void add_correction(struct ss_kernel *k, enum ss_divergence_id id, int64_t bytes)
{
	if (bytes != 0 && (k->corrections & (1u << id)))
		k->memory.corrections[k->memory.correction_count++] =
			(struct ss_room_correction){ id, bytes };
}

void correct_room(struct ss_kernel *k, struct coef workspace, const struct weights *w)
{
	k->memory.correction_count = 0;
	if (is_vendor_workspace(k, workspace))
		add_correction(k, SS_DIVERGENCE_WORKSPACE_WIDTH,
			       workspace_room(k->memory.workspace_bytes, !has_communicator(k)));
	add_correction(k, SS_DIVERGENCE_MXFP4_EXPERT_PADDING, -whole_bytes(w->mxfp4_padding));
	add_correction(k, SS_DIVERGENCE_UNQUANTISED_WEIGHTS, -whole_bytes(w->unquantised));
	add_correction(k, SS_DIVERGENCE_REPLICATED_LATENT_WEIGHTS, -whole_bytes(w->replicated));
	add_correction(k, SS_DIVERGENCE_OTHER_WEIGHTS, -whole_bytes(w->others));
}
