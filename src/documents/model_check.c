/*
 * Rules on the nodes of a graph. A rule is a row: which operations it is for,
 * the width it looks at, and what that width must be. An operation, kind or
 * condition this program does not know has no rows: that is refused when the
 * deployment is resolved, since the document itself may be right.
 */
#include <stdio.h>
#include <string.h>

#include "documents/documents.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define AT(member) offsetof(struct ss_node, member)
#define OP(id) (1u << SS_OP_##id)

enum {
	COLLECTIVES = OP(ALL_REDUCE) | OP(ALL_GATHER) | OP(REDUCE_SCATTER) | OP(ALL2ALL),
};

/* clang-format off */
/* A width that an operation needs: 1 or more. */
static const struct need {
	unsigned ops;
	const char *key;
	size_t offset;
	const char *code;
} needs[] = {
	{ OP(GEMM), "n", AT(n), "N7" },
	{ OP(GEMM), "k", AT(k), "N8" },
	{ OP(GROUPED_GEMM), "n", AT(n), "N10" },
	{ OP(GROUPED_GEMM), "k", AT(k), "N11" },
	{ OP(GROUPED_GEMM), "experts", AT(experts), "N12" },
	{ OP(GROUPED_GEMM), "top_k", AT(top_k), "N13" },
	{ OP(ATTENTION), "n_q", AT(n_q), "N21" },
	{ OP(ATTENTION), "n_kv", AT(n_kv), "N22" },
	{ OP(ATTENTION), "d_h", AT(d_h), "N23" },
	{ OP(RECURRENT), "n_heads", AT(n_heads), "N34" },
	{ OP(RECURRENT), "state_size", AT(state_size), "N35" },
	{ OP(TABLE_LOOKUP), "rows_per_token", AT(rows_per_token), "range" },
	{ OP(TABLE_LOOKUP), "row_bytes", AT(row_bytes), "range" },
	{ OP(TABLE_LOOKUP), "table_bytes", AT(table_bytes), "range" },
};

/* A width that an operation must not carry. */
static const struct stray {
	unsigned ops;
	const char *key;
	size_t offset;
	const char *code;
} strays[] = {
	{ OP(GEMM), "experts", AT(experts), "N9" },
	{ OP(GEMM), "top_k", AT(top_k), "N9" },
	{ OP(GEMM), "n_q", AT(n_q), "N9" },
	{ OP(GEMM), "n_kv", AT(n_kv), "N9" },
	{ OP(GEMM), "state_size", AT(state_size), "N9" },
	{ OP(GROUPED_GEMM), "n_q", AT(n_q), "N19" },
	{ OP(GROUPED_GEMM), "state_size", AT(state_size), "N19" },
	{ OP(ATTENTION), "experts", AT(experts), "N32" },
	{ OP(ATTENTION), "state_size", AT(state_size), "N32" },
	{ OP(RECURRENT), "experts", AT(experts), "N40" },
	{ OP(RECURRENT), "n_q", AT(n_q), "N40" },
	{ COLLECTIVES, "n", AT(n), "N42" },
	{ COLLECTIVES, "k", AT(k), "N42" },
	{ COLLECTIVES, "experts", AT(experts), "N42" },
	{ COLLECTIVES, "n_q", AT(n_q), "N42" },
	{ COLLECTIVES, "n_kv", AT(n_kv), "N42" },
	{ COLLECTIVES, "state_size", AT(state_size), "N42" },
};
/* clang-format on */

static int64_t width(const struct ss_node *node, size_t offset)
{
	int64_t value;

	memcpy(&value, (const unsigned char *)node + offset, sizeof(value));
	return value;
}

static void must_have(struct reader *r, const struct place *at, const struct ss_node *node,
		      const char *key, size_t offset, const char *code)
{
	struct place place = { at, key, 0 };

	if (width(node, offset) < 1)
		report(r, SS_ERROR, &place, code, "found %lld, must be 1 or more for %s",
		       (long long)width(node, offset), node->op_text);
}

static void check_experts(struct reader *r, const struct place *at, const struct ss_node *n)
{
	struct place top_k = { at, "top_k", 0 };
	struct place shared = { at, "shared_intermediate_size", 0 };

	if (n->experts >= 1 && n->top_k > n->experts)
		report(r, SS_ERROR, &top_k, "N14", "found %lld, must not exceed the %lld experts",
		       (long long)n->top_k, (long long)n->experts);
	if (n->shared_intermediate_size > 0 && n->shared_experts < 1)
		report(r, SS_ERROR, &shared, "N18", "stated without shared_experts");
}

static void check_attention(struct reader *r, const struct place *at, const struct ss_node *n)
{
	struct place kind = { at, "kind", 0 }, n_kv = { at, "n_kv", 0 };
	struct place topk = { at, "index_topk", 0 };

	if (!n->kind_text[0])
		report(r, SS_ERROR, &kind, "N20", "missing; an attention node must state its kind");
	if (n->n_q >= 1 && n->n_kv > n->n_q)
		report(r, SS_ERROR, &n_kv, "N24",
		       "found %lld, must not exceed the %lld query heads", (long long)n->n_kv,
		       (long long)n->n_q);
	if (ss_attention_is_latent(n->attention) && n->n_kv > 1)
		report(r, SS_ERROR, &n_kv, "N25", "found %lld, must be 1 for %s",
		       (long long)n->n_kv, n->kind_text);
	if (n->attention == SS_ATTENTION_SWA)
		must_have(r, at, n, "window", AT(window), "N26");
	if (n->attention == SS_ATTENTION_SPARSE_MLA && n->index_topk < 1 && n->compress_ratio < 1)
		report(r, SS_ERROR, &topk, "N27",
		       "sparse_mla must state index_topk or compress_ratio of 1 or more");
}

static void check_recurrent(struct reader *r, const struct place *at, const struct ss_node *n)
{
	struct place kind = { at, "recurrent_kind", 0 };

	if (!n->kind_text[0])
		report(r, SS_ERROR, &kind, "N33", "missing; a recurrent node must state its kind");
	if (n->recurrent != SS_RECURRENT_MAMBA2)
		return;
	must_have(r, at, n, "n_groups", AT(n_groups), "N36");
	must_have(r, at, n, "conv_kernel", AT(conv_kernel), "N37");
	must_have(r, at, n, "intermediate_size", AT(intermediate_size), "N38");
}

static void check_added_ops(struct reader *r, const struct place *at, const struct ss_node *n)
{
	struct place component = { at, "component", 0 }, table = { at, "table", 0 };

	if (n->op == SS_OP_MHC && strcmp(n->component, "pre") != 0 &&
	    strcmp(n->component, "post") != 0)
		report(r, SS_ERROR, &component, "range", "found \"%.80s\", must be pre or post",
		       n->component);
	if (n->op == SS_OP_TABLE_LOOKUP && !n->table[0])
		report(r, SS_ERROR, &table, "missing", "missing; a lookup must name its table");
}

static void check_emit(struct reader *r, const struct place *at, const struct ss_node *n)
{
	struct place emit = { at, "emit", 0 };
	bool is_collective = ((1u << n->op) & COLLECTIVES) != 0;

	if (is_collective && !n->emit_text[0])
		report(r, SS_ERROR, &emit, "N3", "missing; %s must say when it runs", n->op_text);
	if (!is_collective && n->emit_text[0])
		report(r, SS_WARNING, &emit, "N4", "only a collective is emitted; no effect on %s",
		       n->op_text);
}

static void check_node(struct reader *r, const struct place *at, const struct ss_node *n)
{
	struct place topk = { at, "index_topk", 0 }, ratio = { at, "compress_ratio", 0 };
	struct place dtype = { at, "weight_dtype", 0 };
	unsigned op = 1u << n->op;

	if (n->op == SS_OP_UNKNOWN)
		return;
	check_emit(r, at, n);
	if (n->weight_dtype != SS_DTYPE_UNSTATED && n->op != SS_OP_GEMM &&
	    n->op != SS_OP_GROUPED_GEMM)
		report(r, SS_ERROR, &dtype, "N6", "only a GEMM or GroupedGEMM node may carry it");
	for (size_t i = 0; i < COUNT(needs); i++)
		if (needs[i].ops & op)
			must_have(r, at, n, needs[i].key, needs[i].offset, needs[i].code);
	for (size_t i = 0; i < COUNT(strays); i++) {
		struct place place = { at, strays[i].key, 0 };

		if ((strays[i].ops & op) && width(n, strays[i].offset))
			report(r, SS_ERROR, &place, strays[i].code, "%s must not carry it",
			       n->op_text);
	}
	if (n->op == SS_OP_GROUPED_GEMM)
		check_experts(r, at, n);
	if (n->op == SS_OP_ATTENTION)
		check_attention(r, at, n);
	if (n->op == SS_OP_RECURRENT)
		check_recurrent(r, at, n);
	check_added_ops(r, at, n);
	/* A kind that is not known may well be a sparse one. */
	if (n->attention == SS_ATTENTION_SPARSE_MLA ||
	    (n->op == SS_OP_ATTENTION && n->attention == SS_ATTENTION_UNKNOWN))
		return;
	if (n->index_topk)
		report(r, SS_ERROR, &topk, "N30", "only a sparse_mla attention node may carry it");
	if (n->compress_ratio)
		report(r, SS_ERROR, &ratio, "N31", "only a sparse_mla attention node may carry it");
}

void model_check(struct reader *r, const struct ss_model *m)
{
	struct place kinds = { NULL, "layer_kinds", 0 }, head = { NULL, "head", 0 };

	for (size_t i = 0; i < m->kind_count; i++) {
		struct place kind = { &kinds, NULL, i }, nodes = { &kind, "nodes", 0 };

		for (size_t j = 0; j < m->kinds[i].node_count; j++) {
			struct place node = { &nodes, NULL, j };

			check_node(r, &node, &m->kinds[i].nodes[j]);
		}
		if (!r->error_count && !m->kinds[i].count && !m->kinds[i].draft_count)
			report(r, SS_WARNING, &kind, "G26",
			       "the layer kind \"%.80s\" is declared but never used",
			       m->kinds[i].id);
	}
	for (size_t i = 0; i < m->head_count; i++) {
		struct place node = { &head, NULL, i };

		check_node(r, &node, &m->head[i]);
	}
}

static void refuse_unknown(const struct ss_node *n, const char *place, const char *file,
			   struct ss_problems *problems)
{
	const char *key = NULL, *found = n->kind_text;
	char pointer[96];

	if (n->op == SS_OP_UNKNOWN) {
		key = "op";
		found = n->op_text;
	} else if (n->op == SS_OP_ATTENTION && n->attention == SS_ATTENTION_UNKNOWN) {
		key = "kind";
	} else if (n->op == SS_OP_RECURRENT && n->recurrent == SS_RECURRENT_UNKNOWN) {
		key = "recurrent_kind";
	} else if (n->emit == SS_CONDITION_UNKNOWN) {
		key = "emit";
		found = n->emit_text;
	}
	(void)snprintf(pointer, sizeof(pointer), "%s/%s", place, key ? key : "");
	if (key)
		(void)ss_problems_add(problems, SS_REFUSAL, "P5", file, pointer,
				      "found \"%.80s\", which nothing here prices", found);
}

void model_check_known(const struct ss_model *model, const char *file, struct ss_problems *problems)
{
	char place[64];

	for (size_t i = 0; i < model->kind_count; i++)
		for (size_t j = 0; j < model->kinds[i].node_count; j++) {
			(void)snprintf(place, sizeof(place), "/layer_kinds/%zu/nodes/%zu", i, j);
			refuse_unknown(&model->kinds[i].nodes[j], place, file, problems);
		}
	for (size_t j = 0; j < model->head_count; j++) {
		(void)snprintf(place, sizeof(place), "/head/%zu", j);
		refuse_unknown(&model->head[j], place, file, problems);
	}
}
