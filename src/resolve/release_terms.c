#include "resolve/release_terms.h"

#include <string.h>

/** Turns the release's counting of graphs on or off, from the release that has it. */
#define ESTIMATE_VARIABLE "VLLM_MEMORY_PROFILER_ESTIMATE_CUDAGRAPHS"
#define ESTIMATE_SINCE "0.17"

int64_t layer_count(const struct ss_kernel *k)
{
	const struct ss_model *model = k->basis->in.model;
	int64_t layers = 0;

	for (size_t i = 0; i < model->kind_count; i++)
		layers += model->kinds[i].count;
	return layers;
}

/** Weights of the routed experts, of all ranks together. */
static double expert_weights(const struct ss_model *model)
{
	double weights = 0;

	for (size_t i = 0; i < model->kind_count; i++)
		for (size_t j = 0; j < model->kinds[i].node_count; j++) {
			const struct ss_node *n = &model->kinds[i].nodes[j];

			if (n->op == SS_OP_GROUPED_GEMM)
				weights += (double)model->kinds[i].count * (double)n->experts * 3 *
					   (double)n->n * (double)n->k;
		}
	return weights;
}

/** As the deployment states it; a build that is no number runs what its rules are of. */
static const char *release_of(const struct ss_kernel *k)
{
	const struct ss_pack *pack = k->basis->in.pack;
	const char *stated_release = k->scenario->values[SS_F_ENGINE_VERSION].text;

	if (stated_release && strchr(stated_release, '.'))
		return stated_release;
	return *pack->rules_of ? pack->rules_of : SS_PRICED_RELEASE;
}

static const struct ss_release_row *find_row(const struct ss_kernel *k,
					     enum ss_release_term_id term, const char *release)
{
	const struct ss_pack *first = k->basis->in.pack;

	for (const struct ss_pack *p = first; p; p = p->rules_pack)
		for (size_t i = 0; i < p->term_count; i++) {
			const struct ss_release_row *row = &p->terms[i];

			if (row->term == term &&
			    ss_release_is_within(release, row->since, row->until) &&
			    (!(row->above > 0) || expert_weights(k->basis->in.model) >= row->above))
				return row;
		}
	return NULL;
}

const struct ss_release_row *release_row(const struct ss_kernel *k, enum ss_release_term_id term)
{
	const struct ss_release_row *row = find_row(k, term, release_of(k));

	return row ? row : find_row(k, term, SS_PRICED_RELEASE);
}

double release_value(const struct ss_kernel *k, enum ss_release_term_id term, double other)
{
	const struct ss_release_row *row = release_row(k, term);

	return row ? row->value : other;
}

bool are_graphs_inside(const struct ss_kernel *k)
{
	const struct ss_value *v = stated(k, SS_F_HOST_ENV);
	size_t length = strlen(ESTIMATE_VARIABLE);

	if (v->is_stated && ss_release_is_within(release_of(k), ESTIMATE_SINCE, ""))
		for (size_t i = 0; i < v->count; i++)
			if (strncmp(v->texts[i], ESTIMATE_VARIABLE "=", length + 1) == 0)
				return strcmp(v->texts[i] + length + 1, "0") != 0;
	return release_value(k, SS_RELEASE_GRAPHS_INSIDE, 1) > 0;
}

/** Does the deployment turn on a term? */
static bool is_read(const struct ss_kernel *k, enum ss_release_term_id term)
{
	switch (term) {
	case SS_RELEASE_UTILIZATION:
		return !(stated(k, SS_F_GPU_MEMORY_UTILIZATION)->number > 0);
	case SS_RELEASE_GRAPHS_INSIDE:
	case SS_RELEASE_GRAPH_SIZES:
	case SS_RELEASE_GRAPH_LAYERS:
	case SS_RELEASE_GRAPH_LAYER_PART:
		return k->memory.graphs_bytes > 0;
	case SS_RELEASE_ENCODER_BYTES:
		return k->basis->in.model->is_multimodal_decoder;
	case SS_RELEASE_EXPERT_GIB:
		return k->basis->has_experts;
	case SS_RELEASE_HYBRID_PREFIX:
		return k->basis->has_recurrent && !stated(k, SS_F_ENABLE_PREFIX_CACHING)->is_stated;
	case SS_RELEASE_SAMPLER_BYTES:
	case SS_RELEASE_TERM_COUNT:
		break;
	}
	return true;
}

void settle_release_terms(struct ss_kernel *k)
{
	k->release_count = 0;
	for (int i = 0; i < SS_RELEASE_TERM_COUNT; i++) {
		enum ss_release_term_id term = (enum ss_release_term_id)i;
		const struct ss_release_row *own = find_row(k, term, release_of(k));
		const struct ss_release_row *row = own ? own : find_row(k, term, SS_PRICED_RELEASE);

		if (row)
			k->release_terms[k->release_count++] = (struct ss_release_use){
				.term = term,
				.row = own,
				.value = row->value,
				.is_read = is_read(k, term),
			};
	}
}

size_t ss_kernel_release_terms(const struct ss_kernel *kernel,
			       struct ss_release_use out[SS_RELEASE_TERM_COUNT])
{
	memcpy(out, kernel->release_terms, kernel->release_count * sizeof(*out));
	return kernel->release_count;
}
