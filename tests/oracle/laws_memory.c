/* Cases of the laws of memory, of where ranks stand and of the host. */
#include "law_case.h"

#include <string.h>

#include "price/gemm.h"
#include "price/host.h"
#include "price/kv.h"
#include "price/layout.h"

/* -- KV bytes ------------------------------------------------------------------------- */

static double layer_bytes(const struct law_case *c)
{
	bool is_latent = given(c, "latent") != 0;

	if (given(c, "cell_bytes_per_layer") > 0)
		return kv_packed_bytes_per_token(1, given(c, "cell_bytes_per_layer"), true, 1);
	return kv_bytes_per_token(given_whole(c, "n_kv"), given_whole(c, "head_dim"),
				  given(c, "element_bytes"), is_latent, given_whole(c, "tp"));
}

static void bytes_per_token(struct law_case *c)
{
	want_true(c,
		  cJSON_HasObjectItem(c->given, "element_bytes") ||
			  cJSON_HasObjectItem(c->given, "cell_bytes_per_layer"),
		  "a width");
	want(c, given(c, "layers") * layer_bytes(c));
}

static void page_of_64(struct law_case *c)
{
	want(c, (double)paged_bytes(64, 64, 1, given(c, "layers") * layer_bytes(c)));
}

static void paged(struct law_case *c)
{
	want(c, (double)paged_bytes(given_whole(c, "tokens"), given_whole(c, "block"), 1,
				    given(c, "bytes_per_token")));
}

static void pages(struct law_case *c)
{
	int64_t tokens = given_whole(c, "tokens");
	int64_t block = given_whole(c, "block");
	int64_t dcp = given_whole(c, "dcp");

	want(c, (double)kv_pages(tokens, block, dcp));
	want_true(c, kv_pages(tokens, block, dcp) == divide_up(tokens, block * dcp),
		  "equals ceil(tokens / (block*dcp))");
}

/** The pack's cell of fp8 keys of 512, their scales and a 16-bit rope part of 64. */
static void packed_cell(struct law_case *c)
{
	cJSON *pack = read_document(TEST_SRCDIR "/registry/engines/vllm-0.31.0.json");
	double width = given(c, "latent") + given(c, "rope");
	const cJSON *tables = cJSON_GetObjectItemCaseSensitive(pack, "tables");
	const cJSON *cell;
	double bytes = 0;

	cJSON_ArrayForEach(cell, cJSON_GetObjectItemCaseSensitive(tables, "packed_cells"))
	{
		const char *layout =
			cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(cell, "layout"));

		if (layout && !strcmp(layout, "fp8_ds_mla") && number(cell, "width") == width)
			bytes = number(cell, "bytes");
	}
	cJSON_Delete(pack);
	want(c, bytes);
	want_true(c, bytes == given(c, "latent") + 4 * 4 + given(c, "rope") * 2,
		  "512 one-byte values, four 4-byte scales, 64 two-byte values");
}

/* -- layout --------------------------------------------------------------------------- */

/** Is the stated backend in the pack's sequence-parallel list? */
static bool is_sequence_parallel_backend(const char *backend)
{
	cJSON *pack = read_document(TEST_SRCDIR "/registry/engines/vllm-0.31.0.json");
	const cJSON *lists = cJSON_GetObjectItemCaseSensitive(pack, "lists");
	bool is_listed = false;
	const cJSON *name;

	cJSON_ArrayForEach(name,
			   cJSON_GetObjectItemCaseSensitive(lists, "sequence_parallel_all2all"))
	{
		if (!strcmp(name->valuestring, backend))
			is_listed = true;
	}
	cJSON_Delete(pack);
	return is_listed;
}

/** The layout with entry `i` of a listed dp. */
static struct layout layout_of(const struct law_case *c, int i)
{
	int gpus_per_node = (int)given(c, "gpus_per_node");

	return layout_make(&(struct layout_inputs){
		.tp = (int)given(c, "tp"),
		.pp = 1,
		.dp = (int)given_at(c, "dp", i),
		.pcp = (int)given(c, "pcp"),
		.dcp = (int)given(c, "dcp"),
		.has_expert_parallel = given(c, "expert_parallel") != 0,
		.backend_is_sequence_parallel =
			is_sequence_parallel_backend(given_text(c, "all2all_backend")),
		.gpus_per_node = gpus_per_node > 0 ? gpus_per_node : 8,
		.is_rack_domain = given(c, "rack_one_domain") != 0,
		.gpus_per_rack = (int)given(c, "gpus_per_rack"),
	});
}

static int wanted_count(const struct law_case *c)
{
	return cJSON_IsArray(c->want) ? cJSON_GetArraySize(c->want) : 1;
}

static void nodes_spanned(struct law_case *c)
{
	want(c, layout_of(c, 0).nodes_spanned);
}

static void expert_width(struct law_case *c)
{
	for (int i = 0; i < wanted_count(c); i++)
		want_at(c, i, layout_of(c, i).ep);
}

static void moe_group_width(struct law_case *c)
{
	for (int i = 0; i < wanted_count(c); i++)
		want_at(c, i, layout_of(c, i).moe_group);
}

static void want_crossing(struct law_case *c, const char *name, const struct layout *l,
			  enum layout_group group)
{
	const cJSON *figure = cJSON_GetObjectItemCaseSensitive(c->want, name);

	if (figure)
		want_true(c, l->groups[group].crosses == (bool)cJSON_IsTrue(figure), name);
}

static void crosses(struct law_case *c)
{
	struct layout l = layout_of(c, 0);

	if (cJSON_IsBool(c->want)) {
		want(c, l.groups[LAYOUT_DECODE_CONTEXT].crosses);
		return;
	}
	want_crossing(c, "tensor", &l, LAYOUT_TENSOR);
	want_crossing(c, "prefill_context", &l, LAYOUT_PREFILL_CONTEXT);
	want_crossing(c, "data", &l, LAYOUT_DATA);
	want_crossing(c, "expert", &l, LAYOUT_EXPERT);
}

/** One group's ranks against first, first + stride, ... */
static void want_group(struct law_case *c, const cJSON *figure, int first,
		       const struct layout_place *place)
{
	want_true(c, cJSON_GetArraySize(figure) == place->width, "its width");
	for (int i = 0; i < place->width; i++)
		want_true(c,
			  cJSON_GetNumberValue(cJSON_GetArrayItem(figure, i)) ==
				  first + i * place->stride,
			  "its ranks");
}

static void tensor_groups(struct law_case *c)
{
	struct layout l = layout_of(c, 0);
	const cJSON *figure;
	int first = 0;

	cJSON_ArrayForEach(figure, c->want)
	{
		want_group(c, figure, first, &l.groups[LAYOUT_TENSOR]);
		first += l.tp;
	}
	want_true(c, first == l.ranks, "every rank in a group");
}

static void prefill_group(struct law_case *c)
{
	struct layout l = layout_of(c, 0);

	want_group(c, c->want, 0, &l.groups[LAYOUT_PREFILL_CONTEXT]);
}

static void data_group(struct law_case *c)
{
	struct layout l = layout_of(c, 0);

	want_group(c, c->want, 0, &l.groups[LAYOUT_DATA]);
}

static void dcp_stride(struct law_case *c)
{
	want(c, layout_of(c, 0).groups[LAYOUT_DECODE_CONTEXT].stride);
}

static void admissible(struct law_case *c)
{
	const cJSON *point, *dcp;
	int i = 0;

	cJSON_ArrayForEach(point, given_list(c, "points"))
	{
		cJSON_ArrayForEach(dcp, cJSON_GetObjectItemCaseSensitive(point, "dcp"))
			want_at(c, i,
				layout_dcp_is_legal((int)number(point, "tp"),
						    (int)number(point, "pcp"), dcp->valueint));
		i++;
	}
}

static void emits(struct law_case *c)
{
	static const char *const names[] = { "always",
#define NAME(id, text) text,
					     SS_CONDITIONS(NAME)
#undef NAME
	};
	struct layout l = layout_of(c, 0);
	const cJSON *figure;
	int known = 0;

	cJSON_ArrayForEach(figure, c->want)
	{
		for (int i = 0; i < SS_CONDITION_COUNT; i++) {
			if (strcmp(figure->string, names[i]) != 0)
				continue;
			known++;
			want_true(c,
				  layout_emits(&l, (enum ss_condition)i) ==
					  (bool)cJSON_IsTrue(figure),
				  names[i]);
		}
	}
	want_true(c, known == SS_CONDITION_COUNT, "every condition named");
}

static void shards_n(struct law_case *c)
{
	const cJSON *gemm;
	int i = 0;

	cJSON_ArrayForEach(gemm, given_list(c, "gemms"))
		want_at(c, i++,
			gemm_shards_n((int64_t)number(gemm, "n"), (int64_t)number(gemm, "k"),
				      given_whole(c, "hidden")));
}

/** Products left once neighbours have merged; another node between keeps two apart. */
static void gemms_left(struct law_case *c)
{
	int64_t hidden = given_whole(c, "hidden");
	const cJSON *last = NULL;
	const cJSON *node;
	int left = 0;

	cJSON_ArrayForEach(node, given_list(c, "gemms"))
	{
		if (cJSON_IsObject(node))
			left += !(last && gemm_merges((int64_t)number(last, "n"),
						      (int64_t)number(last, "k"),
						      (int64_t)number(node, "n"),
						      (int64_t)number(node, "k"), hidden));
		last = cJSON_IsObject(node) ? node : NULL;
	}
	want(c, left);
}

/* -- the host ------------------------------------------------------------------------- */

static double admission_ns(const struct law_case *c, int i)
{
	return admission(given(c, "per_request_ms") * 1e6, given(c, "per_token_ns"),
			 (int64_t)given_at(c, "prompts", i));
}

static void admission_slope(struct law_case *c)
{
	want(c, admission_ns(c, 1) - admission_ns(c, 0));
}

static void admission_of_nothing(struct law_case *c)
{
	want(c, admission(40000, 0.35, given_whole(c, "prompt")));
}

/* clang-format off */
const struct law_row law_memory_rows[] = {
	{ "kv_bytes", "bytes_per_token",        bytes_per_token },
	{ "kv_bytes", "page_64_tokens",         page_of_64 },
	{ "kv_bytes", "cell",                   packed_cell },
	{ "paged",    "bytes",                  paged },
	{ "paged",    "pages_per_rank",         pages },
	{ "experts",  "expert_width",           expert_width },
	{ "dcp",      "admissible",             admissible },
	{ "layout",   "nodes_spanned",          nodes_spanned },
	{ "layout",   "expert_width",           expert_width },
	{ "layout",   "moe_group_width",        moe_group_width },
	{ "layout",   "crosses_node",           crosses },
	{ "layout",   "crosses",                crosses },
	{ "layout",   "tensor_groups",          tensor_groups },
	{ "layout",   "prefill_group_of_rank0", prefill_group },
	{ "layout",   "data_group_of_rank0",    data_group },
	{ "layout",   "dcp_stride",             dcp_stride },
	{ "layout",   "emits",                  emits },
	{ "layout",   "shards_n",               shards_n },
	{ "layout",   "gemms",                  gemms_left },
	{ "host",     "difference_ns",          admission_slope },
	{ "host",     "admission_us",           admission_of_nothing },
	{ NULL,       NULL,                     NULL },
};
/* clang-format on */
