#include "case/findings.h"

#include <math.h>
#include <stdlib.h>

#include "case/around.h"
#include "text/xbuf.h"

static enum ss_status find_price(struct findings *f)
{
	struct ss_batch batch = session_batch(f->session);
	enum ss_status rc;

	figures_of(&f->figures, f->session);
	f->effect_count = ss_kernel_divergences(f->kernel, &batch, f->session->figure, f->effects);
	rc = ss_kernel_breakdown(f->kernel, &batch, f->session->figure, &f->breakdown);
	if (rc)
		return rc;
	f->bottleneck = ss_kernel_bottleneck(f->kernel, &f->breakdown);
	ss_kernel_price_share(f->kernel, &f->breakdown, f->session->figure, &f->share);
	return ss_kernel_band(f->kernel, &batch, f->session->figure, &f->session->spread,
			      f->band_s);
}

enum ss_status findings_new(struct findings *out, const struct session *session)
{
	struct ss_batch batch = session_batch(session);
	enum ss_status rc = SS_OK;

	*out = (struct findings){ .session = session, .kernel = session->kernel };
	out->has_price = ss_kernel_has_price(session->kernel);
	out->influences = xcalloc(ss_kernel_entry_count(session->kernel), sizeof(*out->influences));
	if (out->has_price)
		rc = find_price(out);
	if (!rc)
		rc = ss_kernel_influences(session->kernel, &batch, session->figure,
					  out->influences);
	if (rc)
		return rc;
	ss_kernel_memory_share(session->kernel, &out->memory_share);
	ss_kernel_evidence(session->kernel, session->figure, &out->evidence);
	out->batch_bytes = ss_kernel_batch_bytes(session->kernel, &batch);
	return ss_fit_new(&out->fit, session->kernel, session->scenario, session->pool, &batch);
}

enum ss_status findings_validate(struct findings *findings)
{
	return validated_find(&findings->validated, findings->session->registry,
			      findings->session->scenario);
}

void findings_release(struct findings *findings)
{
	validated_release(&findings->validated);
	ss_breakdown_release(&findings->breakdown);
	ss_fit_release(&findings->fit);
	free(findings->influences);
	*findings = (struct findings){ 0 };
}

int64_t findings_prompt(const struct findings *findings)
{
	struct ss_batch batch = session_batch(findings->session);

	return findings->session->ttft_tokens > 0 ? findings->session->ttft_tokens
						  : around_longest(&batch);
}

struct ss_walk_item *findings_walk(const struct findings *findings, size_t *count)
{
	struct ss_walk_item *items =
		xcalloc(ss_kernel_entry_count(findings->kernel), sizeof(*items));

	*count = ss_kernel_walk(findings->kernel, findings->influences, items);
	return items;
}

struct ranked {
	size_t entry;
	double size;
};

static int by_size(const void *left, const void *right)
{
	const struct ranked *a = left, *b = right;

	if (a->size > b->size || a->size < b->size)
		return a->size > b->size ? -1 : 1;
	return a->entry < b->entry ? -1 : 1;
}

size_t *findings_by_influence(const struct findings *findings, size_t *count)
{
	size_t total = ss_kernel_entry_count(findings->kernel);
	struct ranked *list = xcalloc(total, sizeof(*list));
	size_t *out = xcalloc(total, sizeof(*out));
	size_t n = 0;

	for (size_t i = 0; i < total; i++)
		if (findings->influences[i].is_value)
			list[n++] = (struct ranked){ i, fabs(findings->influences[i].elasticity) };
	if (n)
		qsort(list, n, sizeof(*list), by_size);
	for (size_t i = 0; i < n; i++)
		out[i] = list[i].entry;
	free(list);
	*count = n;
	return out;
}
