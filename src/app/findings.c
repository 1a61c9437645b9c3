#include "app/findings.h"

#include <math.h>
#include <stdlib.h>

#include "app/xbuf.h"

static enum ss_status find_price(struct findings *f)
{
	struct ss_batch batch = session_batch(f->session);
	enum ss_status rc;

	figures_of(&f->figures, f->session);
	f->effect_count =
		ss_kernel_divergences(f->kernel, &batch, f->session->figure, f->effects);
	rc = ss_kernel_breakdown(f->kernel, &batch, &f->breakdown);
	if (!rc)
		rc = influence_new(&f->influences, f->session);
	if (!rc)
		rc = influence_band(f->band_s, f->session, f->influences);
	if (!rc)
		rc = price_share(f->share, f->session);
	return rc;
}

enum ss_status findings_new(struct findings *out, const struct session *session)
{
	struct ss_batch batch = session_batch(session);
	enum ss_status rc = SS_OK;

	*out = (struct findings){ .session = session, .kernel = session->kernel };
	out->has_price = ss_kernel_has_price(session->kernel);
	if (out->has_price)
		rc = find_price(out);
	else
		out->influences = xcalloc(ss_kernel_entry_count(session->kernel),
					  sizeof(*out->influences));
	if (rc)
		return rc;
	ss_kernel_evidence(session->kernel, &out->evidence);
	out->batch_bytes = ss_kernel_batch_bytes(session->kernel, &batch);
	out->batch_fits = out->batch_bytes <= ss_kernel_memory(session->kernel)->budget_bytes;
	return ss_fit_new(&out->fit, session->kernel, session->scenario, session->pool);
}

void findings_release(struct findings *findings)
{
	ss_breakdown_release(&findings->breakdown);
	ss_fit_release(&findings->fit);
	free(findings->influences);
	*findings = (struct findings){ 0 };
}

struct ranked {
	size_t entry;
	int group; /* lower comes first */
	double size;
};

static int by_rank(const void *left, const void *right)
{
	const struct ranked *a = left, *b = right;

	if (a->group != b->group)
		return a->group - b->group;
	if (a->size > b->size || a->size < b->size)
		return a->size > b->size ? -1 : 1;
	return a->entry < b->entry ? -1 : 1;
}

static size_t *rank(const struct findings *f, bool (*admits)(const struct findings *, size_t),
		    bool own_first, size_t *count)
{
	size_t total = ss_kernel_entry_count(f->kernel);
	struct ranked *list = xcalloc(total, sizeof(*list));
	size_t *out;
	size_t n = 0;

	for (size_t i = 0; i < total; i++) {
		const struct ss_entry *entry = ss_kernel_entry(f->kernel, i);

		if (!admits(f, i))
			continue;
		list[n++] = (struct ranked){ i, own_first && entry->is_own ? 0 : 1,
					     fabs(f->influences[i].elasticity) };
		/* The kernel's own stay in the order they were made. */
		if (!list[n - 1].group)
			list[n - 1].size = 0;
	}
	if (n)
		qsort(list, n, sizeof(*list), by_rank);
	out = xcalloc(n, sizeof(*out));
	for (size_t i = 0; i < n; i++)
		out[i] = list[i].entry;
	free(list);
	*count = n;
	return out;
}

static bool is_assumed(const struct findings *f, size_t i)
{
	const struct ss_entry *entry = ss_kernel_entry(f->kernel, i);

	return entry->method == SS_METHOD_ASSUMED && !entry->is_shadowed;
}

static bool is_any(const struct findings *f, size_t i)
{
	(void)f;
	(void)i;
	return true;
}

size_t *findings_walk(const struct findings *findings, size_t *count)
{
	return rank(findings, is_assumed, true, count);
}

size_t *findings_by_influence(const struct findings *findings,
			      bool (*admits)(const struct findings *findings, size_t entry),
			      size_t *count)
{
	return rank(findings, admits ? admits : is_any, false, count);
}
