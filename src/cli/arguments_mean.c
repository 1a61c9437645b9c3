/* What each option means: its argument checked and put where it belongs. */
#include <math.h>
#include <string.h>

#include "text/words.h"
#include "text/xbuf.h"
#include "cli/arguments.h"
#include "cli/engine_flags.h"

static bool has_word(const char *words, const char *word)
{
	size_t len = strlen(word);

	for (const char *at = words; *at;) {
		size_t n = strcspn(at, " ");

		if (n == len && !memcmp(at, word, len))
			return true;
		at += n + (at[n] == ' ');
	}
	return false;
}

static enum ss_status to_count(const struct option_use *use, int64_t least, int64_t *out,
			       struct ss_error *err)
{
	if (!read_count(use->value, 1000000000, out) || *out < least)
		return ss_fail(err, SS_EUSAGE, option_row(use->id)->name,
			       "must be a whole number of %lld or more, got %s", (long long)least,
			       use->value);
	return SS_OK;
}

static enum ss_status to_number(const struct option_use *use, double least, double most,
				double *out, struct ss_error *err)
{
	if (!word_number(use->value, out) || *out < least || *out > most)
		return ss_fail(err, SS_EUSAGE, option_row(use->id)->name,
			       "must be a number from %g to %g, got %s", least, most, use->value);
	return SS_OK;
}

static enum ss_status split_pair(struct arguments *a, const struct option_use *use,
				 const char **name, const char **value, struct ss_error *err)
{
	const char *equals = strchr(use->value, '=');

	if (!equals || equals == use->value)
		return ss_fail(err, SS_EUSAGE, option_row(use->id)->name, "must read %s, got %s",
			       option_row(use->id)->argument, use->value);
	*name = arguments_own(a, use->value, (size_t)(equals - use->value));
	*value = equals + 1;
	return SS_OK;
}

static enum ss_status take_coef(struct arguments *a, const struct option_use *use,
				struct ss_error *err)
{
	struct ss_whatif whatif = { 0 };
	const char *value = NULL;
	enum ss_status rc = split_pair(a, use, &whatif.name, &value, err);

	if (rc)
		return rc;
	if (!*value)
		whatif.value = NAN;
	else if (!word_number(value, &whatif.value) || whatif.value <= 0)
		return ss_fail(err, SS_EUSAGE, "coef", "%s must be a number above 0, got %s",
			       whatif.name, value);
	a->whatifs = xrealloc(a->whatifs, a->whatif_count + 1, sizeof(*a->whatifs));
	for (size_t i = 0; i < a->whatif_count; i++) {
		if (!strcmp(a->whatifs[i].name, whatif.name)) {
			a->whatifs[i].value = whatif.value;
			return SS_OK;
		}
	}
	a->whatifs[a->whatif_count++] = whatif;
	return SS_OK;
}

static enum ss_status take_figure(struct arguments *a, const struct option_use *use,
				  struct ss_error *err)
{
	const char *comma = strchr(use->value, ',');
	char first[32];

	if (!comma)
		return ss_figure_find(use->value, &a->request.figure, err);
	if (!a->command || !(a->command->groups & (OPTIONS_COMPARE | OPTIONS_SCORE)))
		return ss_fail(err, SS_EUSAGE, "figure",
			       "two figures are for compare and score; one leads, got %s",
			       use->value);
	(void)snprintf(first, sizeof(first), "%.*s", (int)(comma - use->value), use->value);
	a->has_other_figure = true;
	if (ss_figure_find(first, &a->request.figure, err))
		return SS_EUSAGE;
	return ss_figure_find(comma + 1, &a->other_figure, err);
}

static enum ss_status take_correct(struct arguments *a, const struct option_use *use,
				   struct ss_error *err)
{
	struct session_request *r = &a->request;
	unsigned kept = ~r->corrections_dropped;
	enum ss_status rc = ss_corrections_parse(&r->corrections_added, use->value, err);

	/* What becomes of a set with all on tells what is turned off. */
	if (!rc)
		rc = ss_corrections_parse(&kept, use->value, err);
	r->corrections_dropped = ~kept;
	return rc;
}

enum ss_status arguments_format(struct arguments *a, const char *word, struct ss_error *err)
{
	static const struct {
		const char *name;
		enum output_format format;
		bool is_of_sweep;
	} rows[] = {
		{ "text", FORMAT_TEXT, false },         { "json", FORMAT_JSON, false },
		{ "jsonl", FORMAT_JSON, true },         { "csv", FORMAT_CSV, false },
		{ "markdown", FORMAT_MARKDOWN, false }, { "sqlite", FORMAT_SQLITE, true },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		if (strcmp(rows[i].name, word) != 0)
			continue;
		a->format = rows[i].format;
		if (rows[i].is_of_sweep && (!a->command || a->command->id != COMMAND_SWEEP))
			return ss_fail(err, SS_EUSAGE, "format", "%s is for sweep alone", word);
		return SS_OK;
	}
	return ss_fail(err, SS_EUSAGE, "format",
		       "no format %s; there are: text, json, jsonl, csv, markdown, sqlite", word);
}

static enum ss_status take_set(struct arguments *a, const struct option_use *use,
			       struct ss_error *err)
{
	const char *path = NULL, *text = NULL;
	enum ss_status rc = split_pair(a, use, &path, &text, err);

	if (!rc)
		arguments_add_setting(a, path, text);
	return rc;
}

/** Options that are the same whatever the command; the rest are the command's to read. */
enum ss_status arguments_interpret(struct arguments *a, const struct option_use *use,
				   struct ss_error *err)
{
	struct session_request *r = &a->request;
	const struct option_row *row = option_row(use->id);

	/* compare and score take two figures, which take_figure() reads */
	if (row->kind == KIND_WORDS && use->id != OPT_FIGURE && !has_word(row->words, use->value))
		return ss_fail(err, SS_EUSAGE, row->name, "must be one of: %s; got %s", row->words,
			       use->value);
	switch (use->id) {
	case OPT_REGISTRY:
		r->registry = use->value;
		return SS_OK;
	case OPT_SET:
		return take_set(a, use, err);
	case OPT_ARGS:
		return engine_flags_paste(a, use->value, err);
	case OPT_POOL:
		r->pool = use->value;
		return SS_OK;
	case OPT_MODEL:
		r->adhoc.model = use->value;
		return SS_OK;
	case OPT_PART:
		r->adhoc.part = use->value;
		return SS_OK;
	case OPT_NODES:
		return to_count(use, 1, &r->adhoc.nodes, err);
	case OPT_GPUS_PER_NODE:
		return to_count(use, 1, &r->adhoc.gpus_per_node, err);
	case OPT_GPUS_PER_RACK:
		return to_count(use, 1, &r->adhoc.gpus_per_rack, err);
	case OPT_FABRIC:
		r->adhoc.fabric = use->value;
		return SS_OK;
	case OPT_INTER_NODE:
		return to_number(use, 0.001, 100000, &r->adhoc.inter_node_gb_s, err);
	case OPT_ENGINE_VERSION:
		r->adhoc.engine_version = use->value;
		return SS_OK;
	case OPT_BATCH:
		r->batch = use->value;
		return SS_OK;
	case OPT_DECODE_THRESHOLD:
		return to_count(use, 1, &r->decode_threshold, err);
	case OPT_SM_BUDGET:
		return to_count(use, 1, &r->sm_budget, err);
	case OPT_COEF:
		return take_coef(a, use, err);
	case OPT_FIGURE:
		return take_figure(a, use, err);
	case OPT_CORRECT:
		return take_correct(a, use, err);
	case OPT_SPREAD:
		return ss_spread_set(&r->spread, use->value, err);
	case OPT_TTFT:
		return to_count(use, 1, &r->ttft_tokens, err);
	case OPT_ACCEPTANCE:
		return to_number(use, 0, 1, &r->acceptance, err);
	case OPT_FORMAT:
		return arguments_format(a, use->value, err);
	case OPT_JSON:
		a->format = FORMAT_JSON;
		return SS_OK;
	case OPT_QUIET:
		a->is_quiet = true;
		return SS_OK;
	case OPT_LOAD:
	case OPT_SLO:
	case OPT_TRACE:
	case OPT_SPEEDUP:
	case OPT_REQUESTS:
	case OPT_SEED:
	case OPT_INPUT_LEN:
	case OPT_OUTPUT_LEN:
	case OPT_RANGE_RATIO:
	case OPT_PREFIX_LEN:
	case OPT_NUM_PROMPTS:
	case OPT_MAX_CONCURRENCY:
	case OPT_REQUEST_RATE:
	case OPT_BURSTINESS:
	case OPT_GOODPUT:
	case OPT_FIND:
	case OPT_RATE:
	case OPT_TP:
	case OPT_GPU_COST:
	case OPT_REQUESTS_OUT:
	case OPT_MAX_MEDIAN:
	case OPT_SERVED:
	case OPT_TIMELINE:
	case OPT_DIRECTORY:
	case OPT_REQUIRE_FIT:
	case OPT_ONLY:
	case OPT_VARY:
	case OPT_WHERE:
	case OPT_BEST:
	case OPT_TOP:
	case OPT_JOBS:
	case OPT_SHARD:
	case OPT_SHARDS:
	case OPT_PLAN:
	case OPT_STDIN_JOBS:
	case OPT_EXPECT:
	case OPT_RESUME:
	case OPT_EXIT_CODE:
	case OPT_LENGTH:
	case OPT_CONTAINER:
	case OPT_STRICT:
	case OPT_TO:
	case OPT_OUTPUT:
	case OPT_FORCE:
	case OPT_COLOR:
	case OPT_HELP:
	case OPT_AUTO:
	case OPT_CHECK:
	case OPT_CHECK_REVIEW:
	case OPT_MOUSE:
	case OPT_ASCII:
	case OPT_BLOCKS:
	case OPT_VERSION:
	case OPT_COUNT:
		break;
	}
	return SS_OK;
}
