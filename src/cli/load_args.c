#include "cli/load_args.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "text/number.h"
#include "text/words.h"
#include "text/xbuf.h"

/* clang-format off */
/** Options that are one setting each. */
static const struct {
	enum option_id option;
	const char *path;
} plain[] = {
	{ OPT_TRACE, "workload.trace" },
	{ OPT_SPEEDUP, "workload.speedup" },
	{ OPT_REQUESTS, "workload.requests" },
	{ OPT_SEED, "workload.seed" },
	{ OPT_PREFIX_LEN, "workload.prefix_tokens" },
	{ OPT_NUM_PROMPTS, "workload.requests" },
	{ OPT_SLO, "workload.slo" },
};
/* clang-format on */

#define PLAIN_COUNT (sizeof(plain) / sizeof(plain[0]))

/** What `vllm bench serve` takes where nothing is said. */
enum { BENCH_INPUT = 1024, BENCH_OUTPUT = 128, BENCH_PROMPTS = 1000 };

bool load_args_is_goodput(const char *word)
{
	const char *colon = strchr(word, ':');
	double number;

	return colon && colon > word && !strchr(word, '/') && word_number(colon + 1, &number);
}

static void add_count(struct arguments *a, const char *path, double count)
{
	char text[32];

	(void)snprintf(text, sizeof(text), "%.0f", count);
	arguments_add_setting(a, path, text);
}

/** A length drawn evenly from 1 - ratio to 1 + ratio of it. */
static enum ss_status add_length(struct arguments *a, enum option_id option, const char *side,
				 double ratio, int64_t usual, struct ss_error *err)
{
	const char *text = arguments_value(a, option);
	char low[40], high[40], tokens[40];
	int64_t length = usual;

	if (text && (number_parse_whole(&length, text) || length < 1))
		return ss_fail(err, SS_EUSAGE, option_row(option)->name,
			       "must be a whole number of 1 or more, got %s", text);
	(void)snprintf(low, sizeof(low), "workload.%s.low", side);
	(void)snprintf(high, sizeof(high), "workload.%s.high", side);
	(void)snprintf(tokens, sizeof(tokens), "workload.%s.tokens", side);
	add_count(a, tokens, (double)length);
	if (!(ratio > 0))
		return SS_OK;
	add_count(a, high, ceil((double)length * (1 + ratio)));
	add_count(a, low, fmax(1, floor((double)length * (1 - ratio))));
	return SS_OK;
}

static enum ss_status add_lengths(struct arguments *a, struct ss_error *err)
{
	const char *text = arguments_value(a, OPT_RANGE_RATIO);
	double ratio = 0;
	enum ss_status rc;

	if (!text && !arguments_has(a, OPT_INPUT_LEN) && !arguments_has(a, OPT_OUTPUT_LEN))
		return SS_OK;
	if (text && (!word_number(text, &ratio) || ratio < 0 || ratio >= 1))
		return ss_fail(err, SS_EUSAGE, "random-range-ratio",
			       "must be a number from 0 to below 1, got %s", text);
	rc = add_length(a, OPT_INPUT_LEN, "prompt", ratio, BENCH_INPUT, err);
	if (!rc)
		rc = add_length(a, OPT_OUTPUT_LEN, "output", ratio, BENCH_OUTPUT, err);
	if (!arguments_has(a, OPT_NUM_PROMPTS) && !arguments_has(a, OPT_REQUESTS))
		add_count(a, "workload.requests", BENCH_PROMPTS);
	return rc;
}

static enum ss_status add_arrival(struct arguments *a, struct ss_error *err)
{
	const char *rate = arguments_value(a, OPT_REQUEST_RATE);
	const char *most = arguments_value(a, OPT_MAX_CONCURRENCY);
	const char *burst = arguments_value(a, OPT_BURSTINESS);
	bool is_open = rate && strcmp(rate, "inf") != 0;

	if (is_open && most)
		return ss_fail(err, SS_EUSAGE, "request-rate",
			       "requests come by rate or at once, not both: leave out "
			       "--max-concurrency");
	if (burst && !is_open)
		return ss_fail(err, SS_EUSAGE, "burstiness", "goes with --request-rate");
	if (is_open)
		arguments_add_setting(a, "workload.rate", rate);
	if (most)
		arguments_add_setting(a, "workload.concurrency", most);
	if (burst)
		arguments_add_setting(a, "workload.burstiness", burst);
	return SS_OK;
}

/** `ttft:500,tpot:30`, in ms, as a service level: each request must meet it. */
static enum ss_status add_goodput(struct arguments *a, struct ss_error *err)
{
	const char *text = arguments_value(a, OPT_GOODPUT);
	struct xbuf slo = { 0 };

	while (text && *text) {
		size_t n = strcspn(text, ", ");
		const char *colon = memchr(text, ':', n);

		if (!colon) {
			xbuf_release(&slo);
			return ss_fail(err, SS_EUSAGE, "goodput",
				       "must read ttft:500 tpot:30, in ms; got %.*s", (int)n, text);
		}
		xbuf_printf(&slo, "%s%.*s=%.*sms", slo.len ? "," : "", (int)(colon - text), text,
			    (int)(text + n - colon - 1), colon + 1);
		text += n + (text[n] != '\0');
	}
	if (slo.len)
		arguments_add_setting(a, "workload.slo", xbuf_text(&slo));
	xbuf_release(&slo);
	return SS_OK;
}

enum ss_status load_args_take(struct arguments *a, struct ss_error *err)
{
	const char *load = arguments_value(a, OPT_LOAD);
	enum ss_status rc;

	if (load)
		arguments_add_setting(a, SESSION_LOAD, load);
	rc = add_lengths(a, err);
	for (size_t i = 0; i < PLAIN_COUNT && !rc; i++) {
		const char *value = arguments_value(a, plain[i].option);

		if (value)
			arguments_add_setting(a, plain[i].path, value);
	}
	if (!rc)
		rc = add_arrival(a, err);
	return rc ? rc : add_goodput(a, err);
}
