#include "case/opening.h"

#include <stdlib.h>
#include <string.h>

#include "case/session.h"
#include "text/xbuf.h"

bool opening_is_handed_over(const struct ss_scenario *scenario, size_t pool)
{
	return !strcmp(session_text(scenario, pool, SS_F_ROLE), "decode");
}

/* More tokens than this are a prefill when nothing states it: one and those drafted. */
static int64_t usual_threshold(const struct ss_scenario *scenario, size_t pool)
{
	const struct ss_value *drafted = ss_scenario_value(scenario, pool, SS_F_SPEC_TOKENS);

	return 1 + (drafted->is_stated ? drafted->integer : 0);
}

static bool is_prefill(const struct ss_group *group, int64_t threshold)
{
	/* Several tokens after a whole prompt are drafted ones. */
	bool is_past_prompt = group->prompt_len > 0 && group->computed >= group->prompt_len;

	return group->scheduled > threshold && !is_past_prompt;
}

struct ss_group *opening_groups(const struct ss_scenario *scenario, size_t pool, int64_t threshold,
				const struct ss_group *groups, size_t count)
{
	struct ss_group *out = xcalloc(count + 1, sizeof(*out));

	if (count)
		memcpy(out, groups, count * sizeof(*out));
	if (!opening_is_handed_over(scenario, pool))
		return out;
	if (threshold <= 0)
		threshold = usual_threshold(scenario, pool);
	for (size_t i = 0; i < count; i++) {
		struct ss_group *group = &out[i];
		int64_t context = group->computed + group->scheduled;

		if (!is_prefill(group, threshold))
			continue;
		/* Part of a prompt is handed over only with the rest of it. */
		if (group->prompt_len > context)
			context = group->prompt_len;
		group->scheduled = 1;
		group->computed = context - 1;
	}
	return out;
}
