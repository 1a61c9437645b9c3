#include "case/about.h"

#include "case/node_price.h"
#include "stepscope/load.h"
#include "text/number.h"

/* Of the layers, the head and an embedding of its own; drafts and towers are not counted. */
static double parameters_of(const struct ss_model *model)
{
	double sum = 0;

	for (size_t i = 0; i < model->kind_count; i++)
		for (size_t n = 0; n < model->kinds[i].node_count; n++)
			sum += node_parameters(&model->kinds[i].nodes[n]) *
			       (double)model->kinds[i].count;
	for (size_t n = 0; n < model->head_count; n++)
		sum += node_parameters(&model->head[n]);
	if (!model->has_tied_embeddings)
		sum += (double)model->hidden_size * (double)model->vocab_size;
	return sum;
}

static void about_model(struct xbuf *out, struct ss_registry *registry, const char *name,
			struct ss_problems *problems)
{
	const struct ss_model *m = ss_registry_model(registry, name, problems);
	double billions = m ? parameters_of(m) / 1e9 : 0;
	int64_t layers = 0;

	for (size_t i = 0; m && i < m->kind_count; i++)
		layers += m->kinds[i].count;
	if (m)
		xbuf_printf(out, "%s B parameters, %lld layers, hidden %s, %s%s%s",
			    number_fixed(billions, billions < 100 ? 1 : 0).text, (long long)layers,
			    number_count(m->hidden_size).text, ss_dtype_name(m->weight_dtype),
			    *m->speculator_method ? ", drafts by " : "", m->speculator_method);
}

static void about_part(struct xbuf *out, struct ss_registry *registry, const char *name,
		       struct ss_problems *problems)
{
	const struct ss_part *p = ss_registry_part(registry, name, problems);

	if (p)
		xbuf_printf(out, "%s GiB at %s TB/s, %s BF16 TFLOP/s%s%s",
			    number_plain(p->memory_gib).text,
			    number_plain(p->memory_bandwidth_tb_s).text,
			    number_plain(p->bf16_tflops).text, *p->generation ? ", " : "",
			    p->generation);
}

static void about_set(struct xbuf *out, struct ss_registry *registry, const char *name,
		      struct ss_problems *problems)
{
	const struct ss_coefficient_set *set = ss_registry_coefficients(registry, name, problems);

	if (set)
		xbuf_printf(out, "%zu entries%s%s", set->count, *set->description ? "; " : "",
			    set->description);
}

static void about_fabric(struct xbuf *out, struct ss_registry *registry, const char *name,
			 struct ss_problems *problems)
{
	const struct ss_network *n = ss_registry_network(registry, name, problems);

	if (n)
		xbuf_printf(out, "%s GB/s per GPU%s", number_plain(n->inter_node_gb_s).text,
			    n->has_rdma ? ", RDMA" : "");
}

static void about_workload(struct xbuf *out, struct ss_registry *registry, const char *name,
			   struct ss_problems *problems)
{
	const struct ss_workload_shape *w = ss_registry_workload(registry, name, problems);
	int64_t prompt, output;

	if (w) {
		ss_workload_shape_means(w, &prompt, &output);
		xbuf_printf(out, "prompt %s, output %s tokens", number_count(prompt).text,
			    number_count(output).text);
	}
}

static void about_times(struct xbuf *out, struct ss_registry *registry, const char *name,
			struct ss_problems *problems)
{
	const struct ss_times *t = ss_registry_times(registry, name, problems);
	size_t curves = 0;

	for (size_t i = 0; t && i < t->count; i++)
		curves += t->entries[i].curve_count;
	if (t && curves)
		xbuf_printf(out, "%zu curves; %s", curves, t->description);
	else if (t)
		xbuf_printf(out, "%zu entries; %s", t->count, t->description);
}

void about_document(struct xbuf *out, struct ss_registry *registry, enum ss_document_kind kind,
		    const char *name, struct ss_problems *problems)
{
	static const struct {
		enum ss_document_kind kind;
		void (*about)(struct xbuf *, struct ss_registry *, const char *,
			      struct ss_problems *);
	} rows[] = {
		{ SS_DOCUMENT_MODEL, about_model },       { SS_DOCUMENT_HARDWARE, about_part },
		{ SS_DOCUMENT_COEFFICIENTS, about_set },  { SS_DOCUMENT_NETWORK, about_fabric },
		{ SS_DOCUMENT_WORKLOAD, about_workload }, { SS_DOCUMENT_TIMES, about_times },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (rows[i].kind == kind)
			rows[i].about(out, registry, name, problems);
}
