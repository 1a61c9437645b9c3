/* A pack with a reference: whatever the bytes, it is loaded or reported, and a
 * loaded one answers for every stage. */
#include "fuzz/fuzz.h"

#include "stepscope/engine.h"

static void ask(const struct ss_reference *pack)
{
	for (int stage = 0; stage < SS_STAGE_COUNT; stage++) {
		struct ss_route_request q = { .stage = (enum ss_route_stage)stage,
					      .codec = ss_codec_resolve(pack, NULL),
					      .query_heads = 6,
					      .kv_heads = 1,
					      .head_dim = 256,
					      .page_size = 784,
					      .chunk = 4096,
					      .prefix_len = 8192 };
		struct ss_route_selection s;

		if (ss_route_select(&s, pack, &q, NULL) == SS_OK)
			ss_route_selection_release(&s);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *text = size ? (const char *)data : "";
	struct ss_reference *pack = NULL;
	struct ss_problems problems = { 0 };

	if (ss_reference_parse(&pack, text, size, "fuzz", &problems) == SS_OK)
		ask(pack);
	ss_reference_free(pack);
	ss_problems_release(&problems);
	return 0;
}
