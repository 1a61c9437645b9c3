#include "app/limits.h"

#include <stdbool.h>

/** A copy of the scenario to try settings on. */
struct search {
	const struct session *session;
	struct ss_scenario *scenario;
	struct ss_kernel *kernel;
	enum ss_status rc;
};

/** Does the deployment fit with one field at a value? A refused one does not. */
static bool fits_with(struct search *s, enum ss_field_id field, int64_t value)
{
	struct ss_value *at = ss_scenario_value_mut(s->scenario, s->session->pool, field);
	struct ss_problems problems = { 0 };
	enum ss_status rc;

	ss_value_release(at);
	at->is_stated = true;
	at->integer = value;
	rc = ss_kernel_renew(&s->kernel, s->session->basis, s->scenario, s->session->pool,
			     s->session->corrections, &problems);
	ss_problems_release(&problems);
	if (rc && rc != SS_EREFUSED)
		s->rc = rc;
	return !rc && ss_kernel_fits(s->kernel);
}

/** The largest value in [1, most] that fits, 0 when 1 does not; fitting is monotone. */
static int64_t largest(struct search *s, enum ss_field_id field, int64_t most)
{
	int64_t low = 0, high = most;

	while (low < high && !s->rc) {
		int64_t middle = low + (high - low + 1) / 2;

		if (fits_with(s, field, middle))
			low = middle;
		else
			high = middle - 1;
	}
	return low;
}

static int64_t smallest_tp(struct search *s)
{
	int64_t gpus = ss_scenario_value(s->scenario, s->session->pool, SS_F_NODES)->integer *
		       ss_scenario_value(s->scenario, s->session->pool, SS_F_GPUS_PER_NODE)->integer;

	for (int64_t tp = 1; tp <= gpus && !s->rc; tp++)
		if (fits_with(s, SS_F_TP, tp))
			return tp;
	return 0;
}

/** Put the copy back to what the session has. */
static void restore(struct search *s)
{
	ss_scenario_free(s->scenario);
	s->scenario = NULL;
	if (!s->rc)
		s->rc = ss_scenario_clone(&s->scenario, s->session->scenario);
}

/** No engine takes longer requests than this, whatever the model. */
#define LENGTH_MOST 100000000

enum ss_status limits_find(struct limits *out, const struct session *session, int64_t length)
{
	struct search s = { .session = session };
	const struct ss_resolution *r = ss_kernel_resolution(session->kernel);
	int64_t window = ss_basis_inputs(session->basis)->model->max_model_len;

	*out = (struct limits){ 0 };
	out->requests = ss_kernel_requests_that_fit(session->kernel, length);
	restore(&s);
	if (!s.rc)
		out->max_model_len = largest(&s, SS_F_MAX_MODEL_LEN, window ? window : LENGTH_MOST);
	restore(&s);
	if (!s.rc)
		out->max_num_seqs = largest(&s, SS_F_MAX_NUM_SEQS, r->max_num_batched_tokens);
	restore(&s);
	if (!s.rc)
		out->tensor_parallel = smallest_tp(&s);
	ss_kernel_free(s.kernel);
	ss_scenario_free(s.scenario);
	return s.rc;
}
