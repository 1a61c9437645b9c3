#include <math.h>
#include <stdio.h>
#include <string.h>

#include "price/batch_sums.h"
#include "price/step.h"
#include "resolve/times_plan.h"

/* clang-format off */
/** Words of each row: id, direction, reason. */
#define DIVERGENCE_TEXTS(X) \
	X(EXPERT_TENSOR_SHARDING, "over-charges expert compute", \
	  "the engine shards every routed expert over the tensor-parallel ranks; this law divides their reads by tp and not their FLOPs") \
	X(LATENT_PREFILL_WIDTH, "over-charges latent prefill attention", \
	  "the engine prefills latent attention with per-head keys and values and up-projects the cached prefix; this law multiplies at the stored latent width") \
	X(HEAD_ROWS, "over-charges the LM head of a prefill", \
	  "the engine computes one row of logits a request; this law puts every prefill row through the LM head") \
	X(HEAD_WIDTH, "hides half of the LM head's reads", \
	  "the LM head stays at 16 bits in a quantised checkpoint; this law reads and multiplies it in the graph's format") \
	X(GRAPH_PADDING, "hides the rows a graph is padded with", \
	  "a graphed step runs at the next captured size; this law charges only the rows scheduled") \
	X(DISPATCH_WIDTH, "over-charges dispatch payloads of narrower activations", \
	  "some backends send quantized activations; this law moves 16-bit ones") \
	X(PCP_EXPERT_TOKENS, "hides expert work on gathered tokens", \
	  "with prefill-context parallelism the expert group sees the tokens of all its ranks; this law counts one rank's") \
	X(HYBRID_DCP, "over-charges KV of layers that do not shard", \
	  "layers of a hybrid model that do not shard keep their whole cache on each rank; this law has one rule for the stack") \
	X(REPLICATED_LATENT_PROJECTIONS, "hides projections every rank repeats", \
	  "the latent down-projections and the indexer's projections run whole on every tensor-parallel rank; this law divides them by tp") \
	X(RAMP_RANGE, "hides GEMM time at few and at very many rows", \
	  "the measured GEMM ramp is optimistic below 128 rows and above 4096, and block-scaled FP8 shares it") \
	X(KERNEL_RELEASE, "may err either way", \
	  "a kernel's time was measured with a release more than four minors from the scenario's; newer kernels are usually faster") \
	X(ROUTE_NOT_PRICED, "may err either way", \
	  "the SM70 build chooses a kernel by shape, cache and settings, whose own times stand beside the routes; this law has one rate for all") \
	X(WORKSPACE_WIDTH, "over-charges the engine workspace", \
	  "start-up logs show about 0.5 GiB of workspace on one rank and 2.25 GiB on more, against the vendor figure of 3.5") \
	X(MXFP4_EXPERT_PADDING, "hides padding of MXFP4 experts", \
	  "the engine stores MXFP4 experts with their inner width rounded up to a multiple of 256") \
	X(UNQUANTISED_WEIGHTS, "hides weights the engine keeps at 16 bits", \
	  "the embedding, the LM head and the routers stay at 16 bits in a quantised checkpoint, and routers are whole on every rank; the law counts no router and gives the graph's format to the rest") \
	X(REPLICATED_LATENT_WEIGHTS, "hides projections every rank holds whole", \
	  "the latent down-projections and the indexer's projections lie whole on every tensor-parallel rank; the law divides them by tp") \
	X(OTHER_WEIGHTS, "hides weights outside the decoder", \
	  "the engine loads the vision and audio towers and the position tables that the checkpoint has; the law counts the decoder") \
	X(PROFILE_SAMPLER, "hides the sampler of the profile run", \
	  "the engine measures its activation with max_num_seqs requests at the sampler: logits gathered at 16 bits, their fp32 copy, the sorted copy and its order; the law counts token buffers alone") \
	X(PROFILE_ENCODER, "hides the encoder of the profile run", \
	  "the engine measures the activation of a multimodal model with its encoder's largest input; the law counts the decoder") \
	X(PROFILE_EXPERTS, "hides what a release's expert kernels took", \
	  "early releases held far more than the law's buffers while a large expert model was profiled") \
	X(GRAPH_SIZES, "may err either way", \
	  "each captured size takes graph memory, more with more layers; the law has one figure a mode") \
	X(GRAPHS_OUTSIDE, "over-charges graphs where the release left them out", \
	  "before 0.21 the engine sized its cache without the graphs it captured afterwards, outside what gpu_memory_utilization gives; the law counts them inside")
/* clang-format on */

static const char *const directions[] = {
#define X(id, direction, reason) [SS_DIVERGENCE_##id] = direction,
	DIVERGENCE_TEXTS(X)
#undef X
};

static const char *const reasons[] = {
#define X(id, direction, reason) [SS_DIVERGENCE_##id] = reason,
	DIVERGENCE_TEXTS(X)
#undef X
};

static const struct ss_divergence table[] = {
#define SS_X(id, name, has_correction, target, on) \
	{ SS_DIVERGENCE_##id, name, has_correction, SS_DIVERGES_##target, on },
	SS_DIVERGENCES(SS_X)
#undef SS_X
};

const struct ss_divergence *ss_divergence(enum ss_divergence_id id)
{
	return &table[id];
}

const char *ss_divergence_direction(enum ss_divergence_id id)
{
	return directions[id];
}

const char *ss_divergence_reason(enum ss_divergence_id id)
{
	return reasons[id];
}

const char *ss_divergence_caution(void)
{
	return "Corrections of the step are off by default, because the laws make up for one "
	       "another. "
	       "Beside 1,130 published serving measurements (5 models, 4 parts) the median error "
	       "of "
	       "Serial is 12.7 %; sharding the experts' compute over tp, and nothing else, makes "
	       "it "
	       "15.3 %.";
}

enum ss_status ss_corrections_parse(unsigned *set, const char *text, struct ss_error *err)
{
	char names[512] = "";
	size_t used = 0;

	if (strcmp(text, "none") == 0) {
		*set = 0;
		return SS_OK;
	}
	for (int i = 0; i < SS_DIVERGENCE_COUNT; i++) {
		if (!table[i].has_correction)
			continue;
		if (strcmp(text, "all") == 0 || strcmp(text, table[i].name) == 0)
			*set |= 1u << i;
		if (strcmp(text, table[i].name) == 0)
			return SS_OK;
		used += (size_t)snprintf(names + used, sizeof(names) - used, ", %s", table[i].name);
	}
	if (strcmp(text, "all") == 0)
		return SS_OK;
	return ss_fail(err, SS_EUSAGE, "correct", "%s: must be all, none%s", text, names);
}

/** Does any operation of the main stack answer to this? */
static bool any_op(const struct ss_kernel *k, bool (*test)(const struct plan_op *))
{
	for (size_t i = 0; i < k->plan.op_count; i++)
		if (test(&k->plan.ops[i]))
			return true;
	return false;
}

static bool has_sharded_experts(const struct plan_op *op)
{
	return op->kind == PLAN_EXPERTS && op->u.experts.sharded > 1;
}

static bool has_corrected_width(const struct plan_op *op)
{
	return op->kind == PLAN_ATTENTION && op->u.attention.corrected_width > 0;
}

static bool has_narrow_head(const struct plan *plan)
{
	for (size_t i = 0; i < plan->head_count; i++)
		if (plan->head_wide[i].bytes > 1)
			return true;
	return false;
}

/** Laws that measured kernels are not priced by. */
static bool is_settled(enum ss_divergence_id id)
{
	return id == SS_DIVERGENCE_EXPERT_TENSOR_SHARDING || id == SS_DIVERGENCE_HEAD_ROWS ||
	       id == SS_DIVERGENCE_HEAD_WIDTH ||
	       id == SS_DIVERGENCE_REPLICATED_LATENT_PROJECTIONS || id == SS_DIVERGENCE_RAMP_RANGE;
}

enum { RELEASES_NEAR = 4 };

/** Was a kernel measured with a far release? */
static bool is_far(const struct ss_kernel *k)
{
	for (size_t i = 0; i < k->times.choice_count; i++)
		if (times_distance(k, k->times.choices[i].entry) > RELEASES_NEAR)
			return true;
	return false;
}

static bool applies(const struct ss_kernel *k, enum ss_divergence_id id, bool is_kernels,
		    const struct batch_sums *sums)
{
	bool has_work = sums->requests > 0;

	if (is_kernels && is_settled(id))
		return false;

	switch (id) {
	case SS_DIVERGENCE_EXPERT_TENSOR_SHARDING:
		return has_work && any_op(k, has_sharded_experts);
	case SS_DIVERGENCE_LATENT_PREFILL_WIDTH:
		return sums->prefills > 0 && any_op(k, has_corrected_width);
	case SS_DIVERGENCE_HEAD_ROWS:
		return sums->prefill_tokens > sums->prefills;
	case SS_DIVERGENCE_HEAD_WIDTH:
		return has_work && has_narrow_head(&k->plan);
	case SS_DIVERGENCE_GRAPH_PADDING:
		return has_work && sums->rows <= (double)k->plan.ceiling;
	case SS_DIVERGENCE_DISPATCH_WIDTH:
		return has_work && k->basis->has_experts && k->layout.runs_dispatch;
	case SS_DIVERGENCE_PCP_EXPERT_TOKENS:
		return has_work && k->basis->has_experts && k->layout.pcp > 1;
	case SS_DIVERGENCE_HYBRID_DCP:
		return has_work && k->layout.dcp > 1 &&
		       (k->basis->has_recurrent || k->basis->has_window);
	case SS_DIVERGENCE_REPLICATED_LATENT_PROJECTIONS:
		return has_work && k->layout.tp > 1 && k->basis->has_latent;
	case SS_DIVERGENCE_RAMP_RANGE:
		return has_work && (sums->rows < 128 || sums->rows > 4096);
	case SS_DIVERGENCE_KERNEL_RELEASE:
		return has_work && is_kernels && is_far(k);
	case SS_DIVERGENCE_ROUTE_NOT_PRICED:
		return has_work && k->sm70.has_routes;
	case SS_DIVERGENCE_WORKSPACE_WIDTH:
	case SS_DIVERGENCE_MXFP4_EXPERT_PADDING:
	case SS_DIVERGENCE_UNQUANTISED_WEIGHTS:
	case SS_DIVERGENCE_REPLICATED_LATENT_WEIGHTS:
	case SS_DIVERGENCE_OTHER_WEIGHTS:
	case SS_DIVERGENCE_PROFILE_SAMPLER:
	case SS_DIVERGENCE_PROFILE_ENCODER:
	case SS_DIVERGENCE_PROFILE_EXPERTS:
	case SS_DIVERGENCE_GRAPH_SIZES:
	case SS_DIVERGENCE_GRAPHS_OUTSIDE:
	case SS_DIVERGENCE_COUNT:
		break;
	}
	return false;
}

size_t ss_kernel_divergences(const struct ss_kernel *kernel, const struct ss_batch *batch,
			     enum ss_figure figure,
			     struct ss_divergence_effect out[SS_DIVERGENCE_COUNT])
{
	bool is_kernels = ss_kernel_lead(kernel, figure) == SS_FIGURE_KERNELS;
	struct batch_sums sums;
	struct ss_step with, without;
	size_t n = 0;

	batch_sums_gather(&sums, &kernel->plan, batch);
	for (int i = 0; i < SS_DIVERGENCE_COUNT; i++) {
		enum ss_divergence_id id = (enum ss_divergence_id)i;
		unsigned bit = 1u << i;
		struct ss_divergence_effect e = { .id = id,
						  .is_corrected = kernel->corrections & bit,
						  .has_seconds = table[i].has_correction };

		if (!applies(kernel, id, is_kernels, &sums))
			continue;
		if (e.has_seconds) {
			step_price(&kernel->plan, batch, kernel->corrections & ~bit, figure, &with,
				   NULL);
			step_price(&kernel->plan, batch, kernel->corrections | bit, figure,
				   &without, NULL);
			e.seconds =
				ss_step_figure(&with, figure) - ss_step_figure(&without, figure);
			/* a padded size that is the batch's own changes nothing */
			if (e.seconds == 0)
				continue;
		}
		out[n++] = e;
	}
	return n;
}

double ss_kernel_known_error_s(const struct ss_kernel *kernel, const struct ss_batch *batch,
			       enum ss_figure figure)
{
	struct ss_step with, without;

	step_price(&kernel->plan, batch, kernel->corrections, figure, &with, NULL);
	step_price(&kernel->plan, batch, ~0U, figure, &without, NULL);
	return ss_step_figure(&with, figure) - ss_step_figure(&without, figure);
}
