/* A published run played: its load through the scheduler of its deployment. */
#include <math.h>
#include <stdlib.h>

#include "case/score_impl.h"
#include "stepscope/serve.h"
#include "text/xbuf.h"

/** Requests of a published run, as so many times those at once. */
enum { ROUNDS = 10, STEPS = 100000 };

static struct ss_length length_of(int64_t low, int64_t high)
{
	return (struct ss_length){ low < high ? SS_LENGTH_UNIFORM : SS_LENGTH_FIXED, low, high,
				   (double)(low + high) / 2, 0 };
}

static struct ss_load load_of(const struct ss_run *run)
{
	return (struct ss_load){
		.prompt = length_of(run->prompt_low, run->prompt_high),
		.output = length_of(run->output_low, run->output_high),
		.requests = run->concurrency * ROUNDS,
		.arrival = SS_ARRIVAL_CONCURRENCY,
		.concurrency = run->concurrency,
	};
}

/** Play to the end, for the means that are published; the reason where the scheduler does not take
 * it. */
static enum ss_status play(struct score_row *row, struct ss_serve_pricer *pricer,
			   struct ss_error *err)
{
	const struct ss_load load = load_of(row->run);
	struct ss_serve_engine engine;
	struct ss_serve_result result;
	struct ss_serve *serve = NULL;
	enum ss_status rc = ss_serve_engine_of(&engine, pricer, err);

	if (!rc)
		rc = ss_serve_new(&serve, &load, &engine, NULL, err);
	if (rc)
		return rc;
	while (ss_serve_run(serve, STEPS))
		;
	rc = ss_serve_is_incomplete(serve) ? SS_ENOMEM : ss_serve_result(serve, &result);
	if (!rc && result.latency[SS_LATENCY_TTFT].count)
		row->seconds[SCORE_SERVE_TTFT] = result.latency[SS_LATENCY_TTFT].mean;
	if (!rc && result.latency[SS_LATENCY_TPOT].count)
		row->seconds[SCORE_SERVE_TPOT] = result.latency[SS_LATENCY_TPOT].mean;
	ss_serve_free(serve);
	return rc;
}

enum ss_status score_play(struct score_player *player, struct score *score, size_t index,
			  enum ss_figure figure)
{
	const struct ss_serve_pricing pricing = { .figure = figure };
	struct score_row *row = &score->rows[index];
	struct ss_problems problems = { 0 };
	struct ss_serve_pricer *pricer = NULL;
	struct ss_error err = { 0 };
	enum ss_status rc;

	if (!row->scenario)
		return SS_OK;
	rc = ss_kernel_renew(&player->kernel, row->basis, row->scenario, 0,
			     score_corrections(score, row->scenario), &problems);
	if (!rc)
		rc = ss_serve_pricer_new(&pricer, player->kernel, &pricing);
	if (!rc)
		rc = play(row, pricer, &err);
	if (rc && rc != SS_ENOMEM) {
		row->refusal = xstrdup(*err.message ? err.message : "refused");
		rc = SS_OK;
	}
	ss_serve_pricer_free(pricer);
	ss_problems_release(&problems);
	return rc;
}

void score_player_release(struct score_player *player)
{
	ss_kernel_free(player->kernel);
	*player = (struct score_player){ 0 };
}
