#include "resolve/corrections.h"

#include <math.h>

#include "price/integers.h"
#include "resolve/memory.h"
#include "resolve/release_terms.h"
#include "resolve/weights.h"

#define GIB 1073741824.0

/** The lump of the vendor's system descriptions. */
#define VENDOR_WORKSPACE (3.5 * GIB)
/** What logged starts hold instead, on one rank and on more. */
#define SINGLE_WORKSPACE (0.5 * GIB)
#define GROUP_WORKSPACE (2.25 * GIB)

/** Sampler of those starts, which what they hold includes. */
#define SINGLE_SAMPLER (0.33 * GIB)
#define GROUP_SAMPLER (1.15 * GIB)
/** Encoder tokens of the largest image or clip that the profile run makes up. */
#define ENCODER_TOKENS 16384.0

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

/** Sampler of the profile run, less what the workspace of logged starts held of it. */
static double sampler_room(const struct ss_kernel *k, bool is_workspace_logged)
{
	double requests = (double)least(k->set.max_num_seqs, k->set.max_batched_tokens);
	double logits = requests * (double)k->basis->in.model->vocab_size;
	double held = has_communicator(k) ? GROUP_SAMPLER : SINGLE_SAMPLER;

	return fmin((is_workspace_logged ? held : 0) -
			    logits * release_value(k, SS_RELEASE_SAMPLER_BYTES, 0),
		    0);
}

static double encoder_room(const struct ss_kernel *k)
{
	const struct ss_model *model = k->basis->in.model;

	if (!model->is_multimodal_decoder)
		return 0;
	return -ENCODER_TOKENS * (double)model->hidden_size *
	       release_value(k, SS_RELEASE_ENCODER_BYTES, 0);
}

/** What is missing of the activation that a release took, beside the sampler's. */
static double experts_room(const struct ss_kernel *k, double sampler)
{
	double held = (double)k->memory.activation_bytes - sampler;
	double taken = release_value(k, SS_RELEASE_EXPERT_GIB, 0) * GIB;

	return fmin(held - taken, 0);
}

/** Bytes of the graphs captured: in proportion to their number, and partly to the layers. */
static double captured_bytes(const struct ss_kernel *k)
{
	double sizes = release_value(k, SS_RELEASE_GRAPH_SIZES, 0);
	double layers = release_value(k, SS_RELEASE_GRAPH_LAYERS, 0);
	double part = release_value(k, SS_RELEASE_GRAPH_LAYER_PART, 0);
	double law = (double)k->memory.graphs_bytes;

	if (!(sizes > 0) || !(layers > 0))
		return law;
	return law * ((double)k->set.size_count / sizes) *
	       (1 - part + part * (double)layer_count(k) / layers);
}

void correct_room(struct ss_kernel *k, struct coef workspace, const struct weights *w)
{
	bool is_logged = is_vendor_workspace(k, workspace) &&
			 (k->corrections & (1u << SS_DIVERGENCE_WORKSPACE_WIDTH));
	double sampler = sampler_room(k, is_logged);
	int64_t graphs = whole_bytes(captured_bytes(k)), law = k->memory.graphs_bytes;

	k->memory.correction_count = 0;
	if (is_vendor_workspace(k, workspace))
		add_correction(k, SS_DIVERGENCE_WORKSPACE_WIDTH,
			       workspace_room(k->memory.workspace_bytes, !has_communicator(k)));
	add_correction(k, SS_DIVERGENCE_MXFP4_EXPERT_PADDING, -whole_bytes(w->mxfp4_padding));
	add_correction(k, SS_DIVERGENCE_UNQUANTISED_WEIGHTS, -whole_bytes(w->unquantised));
	add_correction(k, SS_DIVERGENCE_REPLICATED_LATENT_WEIGHTS, -whole_bytes(w->replicated));
	add_correction(k, SS_DIVERGENCE_OTHER_WEIGHTS, -whole_bytes(w->others));
	add_correction(k, SS_DIVERGENCE_PROFILE_SAMPLER, whole_bytes(sampler));
	add_correction(k, SS_DIVERGENCE_PROFILE_ENCODER, whole_bytes(encoder_room(k)));
	add_correction(k, SS_DIVERGENCE_PROFILE_EXPERTS, whole_bytes(experts_room(k, sampler)));
	add_correction(k, SS_DIVERGENCE_GRAPH_SIZES, law - graphs);
	if (!(k->corrections & (1u << SS_DIVERGENCE_GRAPH_SIZES)))
		graphs = law;
	k->memory.captured_bytes = graphs;
	if (!are_graphs_inside(k))
		add_correction(k, SS_DIVERGENCE_GRAPHS_OUTSIDE, graphs);
}
