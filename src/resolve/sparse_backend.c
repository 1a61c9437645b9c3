#include "resolve/sparse_backend.h"

#include <stddef.h>
#include <string.h>

#include "resolve/cache_format.h"

/** A candidate: where it runs, what caches it takes, whether it allows dcp. */
struct candidate {
	const char *name;
	const char *caches[8];
	const char *blackwell_cache; /**< one more on Blackwell, or NULL */
	bool is_flashmla;
	bool is_flashinfer_hopper;
	bool refuses_dcp;      /**< tested once chosen */
	bool declines_pcp_dcp; /**< part of acceptance: the next candidate is tried */
};

/* clang-format off */
static const struct candidate flash_attn = {
	"FLASH_ATTN_MLA_SPARSE", { "auto", "float16", "bfloat16" }, NULL, false, false, true, false };
static const struct candidate flashmla = {
	"FLASHMLA_SPARSE", { "auto", "bfloat16", "fp8", "fp8_ds_mla" }, "nvfp4_ds_mla", true, false, false, false };
static const struct candidate flashinfer_hopper = {
	"FLASHINFER_MLA_SPARSE_SM90", { "auto", "bfloat16", "fp8", "fp8_e4m3" }, NULL, false, true, true, false };
static const struct candidate flashinfer = {
	"FLASHINFER_MLA_SPARSE", { "auto", "float16", "bfloat16", "fp8", "fp8_e4m3" }, NULL, false, false, false, true };
/* clang-format on */

static bool accepts(const struct candidate *c, const struct sparse_request *r)
{
	bool takes_cache = c->blackwell_cache && r->sm >= 100 &&
			   strcmp(r->cache_dtype, c->blackwell_cache) == 0;

	for (size_t i = 0; !takes_cache && i < 8 && c->caches[i]; i++)
		takes_cache = strcmp(r->cache_dtype, c->caches[i]) == 0;
	if (!takes_cache)
		return false;
	if (c->declines_pcp_dcp && r->pcp > 1 && r->dcp > 1)
		return false;
	return !(c->is_flashinfer_hopper && r->has_old_flashinfer);
}

static int padded_heads(int heads)
{
	return heads <= 64 ? 64 : 128;
}

/** FLASHMLA under decode-context parallelism: the first limit that fails. */
static const char *flashmla_limit(const struct sparse_request *r, const char *layout)
{
	int gathered = r->pcp <= 1        ? r->heads * r->dcp
		       : r->dcp <= r->pcp ? r->heads
					  : r->heads * r->tp;

	if (r->dcp <= 1)
		return NULL;
	if (!cache_is_quantized(r->cache_dtype))
		return "FLASHMLA_SPARSE under decode-context parallelism needs a quantized cache";
	if (strcmp(r->combine, "ag_rs") != 0)
		return "FLASHMLA_SPARSE combines decode-context parts by ag_rs only";
	if (r->pcp > 1 && strcmp(layout, "fp8_ds_mla") != 0)
		return "FLASHMLA_SPARSE with pcp and dcp needs the fp8_ds_mla layout";
	if (r->pcp <= 1 && r->heads >= 32)
		return "FLASHMLA_SPARSE under dcp takes fewer than 32 query heads a rank";
	if (padded_heads(r->heads) != padded_heads(gathered))
		return "FLASHMLA_SPARSE pads a rank's heads and the gathered heads differently";
	return NULL;
}

static struct sparse_choice choose(const struct candidate *c, const struct sparse_request *r)
{
	struct sparse_choice out = { .backend = c->name, .layout = "" };

	if (c->is_flashmla && strcmp(r->cache_dtype, "nvfp4_ds_mla") == 0)
		out.layout = "nvfp4_ds_mla";
	else if (c->is_flashmla && cache_is_quantized(r->cache_dtype))
		out.layout = "fp8_ds_mla";
	if (c->is_flashmla)
		out.refusal = flashmla_limit(r, out.layout);
	else if (c->refuses_dcp && r->dcp > 1)
		out.refusal = "the backend that takes this cache has no decode-context parallelism";
	if (out.refusal)
		out.backend = NULL;
	out.needs_flashinfer = c->is_flashinfer_hopper;
	return out;
}

/** The one asked for, or why not; what it takes by part is a rule of the pack. */
static struct sparse_choice choose_wanted(const struct sparse_request *r)
{
	const struct candidate *all[] = { &flash_attn, &flashmla, &flashinfer_hopper, &flashinfer };

	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++)
		if (strcmp(all[i]->name, r->wanted) == 0 && accepts(all[i], r))
			return choose(all[i], r);
	return (struct sparse_choice){ .layout = "",
				       .refusal =
					       "the attention_backend asked for does not run so" };
}

struct sparse_choice sparse_backend_choose(const struct sparse_request *r)
{
	const struct candidate *hopper[] = { &flash_attn, &flashmla, &flashinfer_hopper };
	const struct candidate *quantized[] = { &flashinfer, &flashmla };
	const struct candidate *wide[] = { &flashmla, &flashinfer };
	bool is_blackwell = r->sm >= 100;
	const struct candidate **order = hopper;
	size_t count = 3;

	if (r->sm < SPARSE_SM_MIN)
		return (struct sparse_choice){
			.layout = "", .refusal = "sparse latent attention needs Hopper or newer"
		};
	if (*r->wanted && strcmp(r->wanted, "CUSTOM") != 0)
		return choose_wanted(r);
	if (is_blackwell) {
		order = cache_is_quantized(r->cache_dtype) || r->heads <= 16 ? quantized : wide;
		count = 2;
	}
	for (size_t i = 0; i < count; i++)
		if (accepts(order[i], r))
			return choose(order[i], r);
	return (struct sparse_choice){ .layout = "",
				       .refusal =
					       "no sparse latent backend takes this cache dtype" };
}
