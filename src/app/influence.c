/* What each entry moves: the kernel built again with values changed. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "app/xbuf.h"
#include "app/figures.h"

/** What-ifs on top of the session's; a later one of a name takes its place. */
struct trial {
	const struct session *session;
	struct ss_whatif *whatifs;
	size_t count;
};

static void trial_init(struct trial *trial, const struct session *session, size_t room)
{
	trial->session = session;
	trial->whatifs = xcalloc(session->whatif_count + room, sizeof(*trial->whatifs));
	if (session->whatif_count)
		memcpy(trial->whatifs, session->whatifs,
		       session->whatif_count * sizeof(*trial->whatifs));
	trial->count = session->whatif_count;
}

static void trial_set(struct trial *trial, const char *name, double value)
{
	for (size_t i = 0; i < trial->count; i++) {
		if (!strcmp(trial->whatifs[i].name, name)) {
			trial->whatifs[i].value = value;
			return;
		}
	}
	trial->whatifs[trial->count++] = (struct ss_whatif){ name, value };
}

/** The lead figure under the trial; NaN where it cannot be priced. */
static enum ss_status trial_price(const struct trial *trial, double *out)
{
	const struct session *session = trial->session;
	struct ss_basis_inputs inputs = *ss_basis_inputs(session->basis);
	struct ss_batch batch = session_batch(session);
	struct ss_problems problems = { 0 };
	struct ss_basis *basis = NULL;
	struct ss_kernel *kernel = NULL;
	struct ss_step step;
	enum ss_status rc;

	inputs.whatifs = trial->whatifs;
	inputs.whatif_count = trial->count;
	*out = NAN;
	rc = ss_basis_new(&basis, &inputs, &problems);
	if (!rc)
		rc = ss_kernel_renew(&kernel, basis, session->scenario, session->pool,
				     session->corrections, &problems);
	if (!rc && ss_kernel_has_price(kernel)) {
		ss_kernel_step(kernel, &batch, &step);
		*out = ss_step_figure(&step, session->figure);
	}
	ss_kernel_free(kernel);
	ss_basis_free(basis);
	ss_problems_release(&problems);
	return rc == SS_EREFUSED ? SS_OK : rc;
}

static enum ss_status price_at(const struct session *session, const char *name, double value,
			       double *out)
{
	struct trial trial;
	enum ss_status rc;

	trial_init(&trial, session, 1);
	trial_set(&trial, name, value);
	rc = trial_price(&trial, out);
	free(trial.whatifs);
	return rc;
}

static void mark_reads(struct influence *list, const int reads[SS_READS_MAX])
{
	for (size_t i = 0; i < SS_READS_MAX && reads[i] >= 0; i++)
		list[reads[i]].is_read = true;
}

static enum ss_status find_reads(struct influence *list, const struct session *session)
{
	struct ss_batch batch = session_batch(session);
	struct ss_breakdown breakdown = { 0 };
	enum ss_status rc = ss_kernel_breakdown(session->kernel, &batch, &breakdown);

	for (size_t i = 0; !rc && i < breakdown.term_count; i++) {
		mark_reads(list, breakdown.terms[i].floor_reads);
		mark_reads(list, breakdown.terms[i].slope_reads);
	}
	ss_breakdown_release(&breakdown);
	return rc;
}

/** Step either way for the derivative: small against any knee, large against rounding. */
#define NUDGE 1e-4

static enum ss_status measure(struct influence *out, const struct session *session,
			      const struct ss_entry *entry)
{
	const struct ss_coefficient *c = entry->coefficient;
	bool has_range = c && c->has_ci95 && !entry->is_whatif;
	double down, up;
	enum ss_status rc;

	out->low = has_range ? c->ci95[0] : entry->value * 0.9;
	out->high = has_range ? c->ci95[1] : entry->value * 1.1;
	rc = price_at(session, entry->name, entry->value * (1 - NUDGE), &down);
	if (!rc)
		rc = price_at(session, entry->name, entry->value * (1 + NUDGE), &up);
	if (!rc)
		rc = price_at(session, entry->name, out->low, &out->low_s);
	if (!rc)
		rc = price_at(session, entry->name, out->high, &out->high_s);
	if (!rc && down > 0 && up > 0)
		out->elasticity = log(up / down) / log((1 + NUDGE) / (1 - NUDGE));
	return rc;
}

/** Only a coefficient that counts can be tried at other values. */
static bool is_movable(const struct ss_entry *entry)
{
	return entry->has_value && !entry->is_own && !entry->is_shadowed && fabs(entry->value) > 0;
}

enum ss_status influence_new(struct influence **out, const struct session *session)
{
	size_t count = ss_kernel_entry_count(session->kernel);
	struct influence *list = xcalloc(count, sizeof(*list));
	enum ss_status rc = find_reads(list, session);

	for (size_t i = 0; !rc && i < count; i++) {
		const struct ss_entry *entry = ss_kernel_entry(session->kernel, i);

		if (list[i].is_read && is_movable(entry))
			rc = measure(&list[i], session, entry);
	}
	if (rc) {
		free(list);
		return rc;
	}
	*out = list;
	return SS_OK;
}

/** One end of an entry's range. */
static double range_end(const struct session *session, const struct ss_entry *entry, bool is_high)
{
	const struct ss_coefficient *c = entry->coefficient;
	double spread = session->spread[entry->method];

	if (c && c->has_ci95 && !entry->is_whatif)
		return c->ci95[is_high];
	return entry->value * (is_high ? 1 + spread : 1 - spread);
}

enum ss_status influence_band(double band_s[2], const struct session *session,
			      const struct influence *influences)
{
	size_t count = ss_kernel_entry_count(session->kernel);
	enum ss_status rc = SS_OK;

	for (int side = 0; !rc && side < 2; side++) {
		struct trial trial;

		trial_init(&trial, session, count);
		for (size_t i = 0; i < count; i++) {
			const struct ss_entry *entry = ss_kernel_entry(session->kernel, i);
			bool raises = influences[i].elasticity > 0;

			if (influences[i].is_read && is_movable(entry))
				trial_set(&trial, entry->name,
					  range_end(session, entry, raises == (side == 1)));
		}
		rc = trial_price(&trial, &band_s[side]);
		free(trial.whatifs);
	}
	return rc;
}
