/* Cases of the laws that split a context over ranks. */
#include "law_case.h"

#include <string.h>

#include "price/attention.h"
#include "price/dcp.h"
#include "price/pcp.h"

/* -- decode context ------------------------------------------------------------------- */

static double dcp_sum(const struct law_case *c, int64_t dcp)
{
	int64_t sum = 0;
	const cJSON *context;

	cJSON_ArrayForEach(context, given_list(c, "contexts")) sum +=
		dcp_share((int64_t)context->valuedouble, dcp, given_whole(c, "interleave"));
	return (double)sum;
}

static void dcp_tokens(struct law_case *c)
{
	want(c, dcp_sum(c, given_whole(c, "dcp")));
}

static void dcp_tokens_each(struct law_case *c)
{
	for (int i = 0; i < cJSON_GetArraySize(given_list(c, "dcp")); i++)
		want(c, dcp_sum(c, (int64_t)given_at(c, "dcp", i)));
}

static double rank_share(const struct law_case *c, int64_t rank)
{
	return (double)dcp_rank_share(given_whole(c, "context"), given_whole(c, "dcp"),
				      given_whole(c, "interleave"), rank);
}

static void dcp_vector(struct law_case *c)
{
	want_true(c, cJSON_GetArraySize(c->want) == (int)given(c, "dcp"), "a share for each rank");
	for (int i = 0; i < cJSON_GetArraySize(c->want); i++)
		want_at(c, i, rank_share(c, i));
}

static void dcp_vector_sum(struct law_case *c)
{
	double sum = 0;

	for (int i = 0; i < (int)given(c, "dcp"); i++)
		sum += rank_share(c, i);
	want(c, sum);
}

/** The kind a document's spelling names. */
static enum ss_attention_kind kind_of(const char *name)
{
	static const char *const names[] = { "",
#define NAME(id, text) text,
					     SS_ATTENTION_KINDS(NAME)
#undef NAME
	};
	int kind = 0;

	for (int i = 1; i < SS_ATTENTION_COUNT; i++)
		if (!strcmp(names[i], name))
			kind = i;
	return (enum ss_attention_kind)kind;
}

static void shards(struct law_case *c)
{
	const cJSON *kind;
	int i = 0;

	cJSON_ArrayForEach(kind, given_list(c, "kinds"))
		want_at(c, i++, dcp_shards(kind_of(kind->valuestring)));
}

static struct dcp_exchange exchange_of(const struct law_case *c)
{
	cJSON *document;
	const cJSON *node = model_node(&document, given_text(c, "model"), "Attention");
	struct dcp_exchange x =
		dcp_exchange(given(c, "decode_tokens"), (int64_t)number(node, "n_q"),
			     (int64_t)number(node, "d_h"), (int64_t)number(node, "kv_lora_rank"),
			     given_whole(c, "tp"), given_whole(c, "pcp"), given_whole(c, "dcp"));

	cJSON_Delete(document);
	return x;
}

static void dcp_heads_of(struct law_case *c)
{
	want(c, exchange_of(c).heads);
}

static void dcp_query_of(struct law_case *c)
{
	want(c, exchange_of(c).query_bytes);
}

static void dcp_lse_of(struct law_case *c)
{
	want(c, exchange_of(c).lse_bytes);
}

static void dcp_combine_of(struct law_case *c)
{
	want(c, exchange_of(c).combine_bytes);
}

static void dcp_rows_of(struct law_case *c)
{
	cJSON *document;
	const cJSON *node = model_node(&document, given_text(c, "model"), "Attention");
	const char *kind = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(node, "kind"));
	bool is_latent = kind && strcmp(kind, "gqa") != 0;
	const cJSON *batch;
	int i = 0;

	cJSON_ArrayForEach(batch, given_list(c, "batches"))
	{
		double decodes = number(batch, "decode_tokens");

		want_at(c, i++,
			dcp_rows(is_latent, decodes, decodes + number(batch, "prefill_tokens"),
				 decodes > 0 || number(batch, "prefill_prior") > 0));
	}
	cJSON_Delete(document);
}

/** Gathers of the given requests, and the bytes of one of the last run's. */
static int64_t gathers_of(const struct law_case *c, double *bytes)
{
	struct ss_group groups[8];
	struct dcp_runs walk = { .groups = groups, .threshold = 1 };
	int64_t chunk = given_whole(c, "chunk");
	int64_t gathers = 0;
	const cJSON *request;
	int64_t run;

	cJSON_ArrayForEach(request, given_list(c, "requests"))
	{
		if (walk.count == sizeof(groups) / sizeof(groups[0]))
			return -1;
		groups[walk.count++] = (struct ss_group){
			.count = 1,
			.scheduled = (int64_t)number(request, "scheduled"),
			.computed = (int64_t)number(request, "prior"),
		};
	}
	while ((run = dcp_next_run(&walk)) > 0) {
		int64_t n = dcp_gathers(run, chunk);

		gathers += n;
		*bytes = (double)run * given(c, "head_dim") * 2 / (double)n;
	}
	return gathers;
}

static void gathers(struct law_case *c)
{
	double bytes = 0;

	want(c, (double)gathers_of(c, &bytes));
}

static void gather_bytes(struct law_case *c)
{
	double bytes = 0;

	gathers_of(c, &bytes);
	want(c, bytes);
}

/* -- prefill context ------------------------------------------------------------------ */

static struct pcp_split split_of(const struct law_case *c)
{
	return pcp_busiest(given_whole(c, "scheduled"), given_whole(c, "prior"),
			   given_whole(c, "pcp"), given_whole(c, "dcp"));
}

static void pcp_tokens(struct law_case *c)
{
	want(c, (double)split_of(c).tokens);
}

static void pcp_pairs(struct law_case *c)
{
	struct pcp_split split = split_of(c);

	want(c, 4 * pcp_pairs_causal(&split));
}

static void pcp_over_even(struct law_case *c)
{
	struct pcp_split split = split_of(c);

	want(c, pcp_pairs_causal(&split) * given(c, "pcp") /
			pairs_causal(given(c, "scheduled"), given(c, "prior")));
}

static void pcp_runs(struct law_case *c)
{
	struct pcp_split split = split_of(c);

	want_true(c, cJSON_GetArraySize(c->want) == split.run_count, "as many runs");
	for (int i = 0; i < split.run_count; i++) {
		const cJSON *run = cJSON_GetArrayItem(c->want, i);

		want_true(c, (double)split.runs[i].tokens == number(run, "tokens"), "its tokens");
		want_true(c, (double)split.runs[i].prior == number(run, "prior"), "its prior");
	}
}

static void pcp_rows(struct law_case *c)
{
	want(c, pcp_gather_rows((double)split_of(c).tokens, given_whole(c, "pcp")));
}

static void pcp_bytes(struct law_case *c)
{
	cJSON *document;
	const cJSON *node = model_node(&document, given_text(c, "model"), "Attention");
	int64_t rank = (int64_t)number(node, "kv_lora_rank");
	int64_t rest = (int64_t)number(node, "d_h") - rank;
	double tokens = (double)split_of(c).tokens;

	cJSON_Delete(document);
	want_at(c, 0, pcp_gather_rows(tokens, given_whole(c, "pcp")) * (double)rank * 2);
	want_at(c, 1, pcp_gather_rows(tokens, given_whole(c, "pcp")) * (double)rest * 2);
}

/* clang-format off */
const struct law_row law_context_rows[] = {
	{ "dcp",        "rank_tokens",         dcp_tokens },
	{ "dcp",        "rank_tokens_each",    dcp_tokens_each },
	{ "dcp",        "per_rank",            dcp_vector },
	{ "dcp",        "sum",                 dcp_vector_sum },
	{ "dcp",        "shards",              shards },
	{ "dcp",        "heads",               dcp_heads_of },
	{ "dcp",        "all_gather_query",    dcp_query_of },
	{ "dcp",        "all_gather_lse",      dcp_lse_of },
	{ "dcp",        "reduce_scatter",      dcp_combine_of },
	{ "dcp",        "rows",                dcp_rows_of },
	{ "dcp",        "all_gathers",         gathers },
	{ "dcp",        "bytes_each",          gather_bytes },
	{ "pcp",        "rank_tokens",         pcp_tokens },
	{ "pcp",        "pairs_x4",            pcp_pairs },
	{ "pcp",        "ratio_to_even_share", pcp_over_even },
	{ "pcp",        "runs",                pcp_runs },
	{ "pcp",        "rows",                pcp_rows },
	{ "pcp",        "all_gather_bytes",    pcp_bytes },
	{ NULL,         NULL,                  NULL },
};
/* clang-format on */
