#include "cli/log_table.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define GIB 1073741824.0

/** What is ours for a figure. */
struct answer {
	bool is_number;
	double value;
	char text[80];
	const char *term;
};

static double weights_gib(const struct ss_memory *m)
{
	double bytes = (double)(m->weights_bytes + m->scales_bytes + m->tables_bytes +
				m->redundant_bytes + m->draft_bytes);

	for (size_t i = 0; i < m->correction_count; i++) {
		/* Whatever acts on the room but the workspace is loaded with the weights. */
		if (m->corrections[i].id != SS_DIVERGENCE_WORKSPACE_WIDTH)
			bytes -= (double)m->corrections[i].bytes;
	}
	return bytes / GIB;
}

/** What the engine counts beside weights and activations. */
static double non_torch_gib(const struct ss_memory *m)
{
	return (double)(m->communicator_bytes + m->workspace_bytes) / GIB;
}

static double requested_gib(const struct ss_kernel *kernel)
{
	return (double)ss_kernel_memory(kernel)->visible_bytes / GIB *
	       ss_kernel_resolution(kernel)->gpu_memory_utilization;
}

/** The longest request the pool holds, by halving. */
static double longest_request(const struct ss_kernel *kernel)
{
	int64_t blocks = ss_kernel_kv_pool(kernel)->blocks, low = 0, high = 1;

	while (high < ((int64_t)1 << 40) && ss_kernel_request_blocks(kernel, high) <= blocks) {
		low = high;
		high *= 2;
	}
	while (high - low > 1) {
		int64_t middle = low + (high - low) / 2;

		if (ss_kernel_request_blocks(kernel, middle) <= blocks)
			low = middle;
		else
			high = middle;
	}
	return (double)low;
}

static void number(struct answer *out, double value, const char *term)
{
	out->is_number = true;
	out->value = value;
	out->term = term;
}

static void text(struct answer *out, const char *value, const char *term)
{
	snprintf(out->text, sizeof(out->text), "%s", value);
	out->term = term;
}

static struct answer answer_of(enum log_id id, const struct ss_kernel *kernel)
{
	const struct ss_memory *m = ss_kernel_memory(kernel);
	const struct ss_kv_pool *pool = ss_kernel_kv_pool(kernel);
	const struct ss_resolution *r = ss_kernel_resolution(kernel);
	struct answer out = { .term = "" };

	switch (id) {
	case LOG_LOADING:
		number(&out, weights_gib(m), "weights_bytes");
		break;
	case LOG_AVAILABLE:
		number(&out, (double)m->budget_bytes / GIB, "budget_bytes");
		break;
	case LOG_KV_TOKENS:
		number(&out, (double)pool->reported_tokens, "kv_bytes_per_token");
		break;
	case LOG_BLOCKS:
		number(&out, (double)pool->blocks, "budget_bytes");
		break;
	case LOG_CONCURRENCY:
		number(&out, pool->max_concurrency, "kv_bytes_per_token");
		break;
	case LOG_BLOCK_SIZE:
		number(&out, (double)pool->block_size, "block_size");
		break;
	case LOG_MAMBA_PADDING:
		if (pool->state_page_bytes > 0)
			number(&out,
			       100 * ((double)pool->page_bytes / (double)pool->state_page_bytes -
				      1),
			       "sequence_fixed_bytes");
		break;
	case LOG_BUDGET:
		number(&out, (double)r->max_num_batched_tokens, "max_num_batched_tokens");
		break;
	case LOG_CAPTURE_SIZES:
		number(&out, (double)ss_kernel_capture_sizes(kernel, NULL, 0),
		       "max_cudagraph_capture_size");
		break;
	case LOG_GRAPHS:
		number(&out, (double)m->graphs_bytes / GIB, "graphs_bytes");
		break;
	case LOG_ATTENTION:
		text(&out, r->attention_backend, "attention_backend");
		break;
	case LOG_GRAPH_MODE:
		text(&out, r->cudagraph_mode, "cudagraph_mode");
		break;
	case LOG_NEEDED:
		number(&out, (double)pool->blocks_per_request * (double)pool->block_bytes / GIB,
		       "kv_bytes_per_token");
		break;
	case LOG_MAX_LENGTH:
		number(&out, longest_request(kernel), "budget_bytes");
		break;
	case LOG_STATE_BLOCKS:
		number(&out, (double)pool->blocks, "budget_bytes");
		break;
	case LOG_FREE:
	case LOG_TOTAL:
		number(&out, (double)m->visible_bytes / GIB, "visible_bytes");
		break;
	case LOG_REQUESTED:
		number(&out, requested_gib(kernel), "visible_bytes");
		break;
	case LOG_UTILIZATION:
		number(&out, r->gpu_memory_utilization, "gpu_memory_utilization");
		break;
	case LOG_WEIGHTS:
		number(&out, weights_gib(m), "weights_bytes");
		break;
	case LOG_CONSUMED:
		number(&out, weights_gib(m) + non_torch_gib(m), "weights_bytes");
		break;
	case LOG_NON_TORCH:
		number(&out, non_torch_gib(m), "communicator_bytes, workspace_bytes");
		break;
	case LOG_ACTIVATION:
		number(&out, (double)m->activation_bytes / GIB, "activation_bytes");
		break;
	case LOG_PEAK:
		number(&out, weights_gib(m) + (double)m->activation_bytes / GIB,
		       "activation_bytes");
		break;
	case LOG_ESTIMATED:
		number(&out, (double)m->graphs_bytes / GIB, "graphs_bytes");
		break;
	case LOG_RESERVED:
	case LOG_IN_USE:
		number(&out, (double)m->budget_bytes / GIB, "budget_bytes");
		break;
	case LOG_OVERRIDE:
		number(&out, (double)pool->blocks, "num_gpu_blocks_override");
		break;
	case LOG_MODEL_LENGTH:
		if (r->max_model_len)
			number(&out, (double)r->max_model_len, "max_model_len");
		break;
	case LOG_VERSION:
	case LOG_MOE:
	case LOG_OUT_OF_MEMORY:
	case LOG_NO_BLOCKS:
	case LOG_EQUIVALENT:
	case LOG_INITIAL_FREE:
	case LOG_TO_FIT:
	case LOG_TO_FILL:
	case LOG_NATURAL:
	case LOG_CPU_BLOCKS:
	case LOG_PADDING:
	case LOG_CAPPED:
	case LOG_LEFT:
	case LOG_READ_TIME:
	case LOG_LOAD_TIME:
	case LOG_PROFILE_TIME:
	case LOG_COMPILE_TIME:
	case LOG_CAPTURE_TIME:
	case LOG_START_TIME:
	case LOG_COUNT:
		break;
	}
	return out;
}

/** At the log's own precision, so that what it prints alike is alike. */
static double rounded(double value, int decimals)
{
	double scale = pow(10, decimals);

	return round(value * scale) / scale;
}

/** The heaviest rank of a figure leaves the least room, and room is what counts. */
static bool heaviest(const struct serve_log *log, enum log_id id, double *value)
{
	double low;

	return serve_log_range(log, id, &low, value);
}

static bool lightest(const struct serve_log *log, enum log_id id, double *value)
{
	double high;

	return serve_log_range(log, id, value, &high);
}

/**
 * The term of ours that moved the room by `difference`: of all that the log prints the
 * one that alone explains most of it; else those it does not print.
 */
static const char *moved_term(const struct serve_log *log, double difference,
			      const struct ss_kernel *kernel)
{
	static const struct {
		enum log_id id, other; /**< either line prints it */
		enum log_id ours;
		double sign; /**< of the room, for more of it */
		const char *term;
	} terms[] = {
		{ LOG_REQUESTED, LOG_REQUESTED, LOG_REQUESTED, 1, "visible_bytes" },
		{ LOG_WEIGHTS, LOG_LOADING, LOG_WEIGHTS, -1, "weights_bytes" },
		{ LOG_ACTIVATION, LOG_ACTIVATION, LOG_ACTIVATION, -1, "activation_bytes" },
		{ LOG_NON_TORCH, LOG_NON_TORCH, LOG_NON_TORCH, -1,
		  "communicator_bytes, workspace_bytes" },
		{ LOG_ESTIMATED, LOG_ESTIMATED, LOG_ESTIMATED, -1, "graphs_bytes" },
	};
	const char *found = "activation_bytes, workspace_bytes, communicator_bytes";
	double most = fabs(difference) / 2, logged;

	for (size_t i = 0; i < sizeof(terms) / sizeof(terms[0]); i++) {
		struct answer ours = answer_of(terms[i].ours, kernel);
		double moved;

		if (!heaviest(log, terms[i].id, &logged) && !heaviest(log, terms[i].other, &logged))
			continue;
		moved = (logged - ours.value) * terms[i].sign;
		if (moved * difference > 0 && fabs(moved) > most) {
			most = fabs(moved);
			found = terms[i].term;
		}
	}
	return found;
}

/**
 * Which of ours a difference would have to come from. A pool that differs only as
 * its room does owes it to the room.
 */
static const char *cause(const struct serve_log *log, enum log_id id, double difference,
			 const struct answer *ours, const struct ss_kernel *kernel)
{
	double our_room = (double)ss_kernel_memory(kernel)->budget_bytes / GIB, room;

	if ((id == LOG_KV_TOKENS || id == LOG_CONCURRENCY || id == LOG_BLOCKS) &&
	    lightest(log, LOG_AVAILABLE, &room) && our_room > 0 &&
	    fabs(ours->value * room / our_room - (ours->value + difference)) < fabs(difference) / 2)
		return "budget_bytes";
	return id == LOG_AVAILABLE ? moved_term(log, difference, kernel) : ours->term;
}

/** `64.38 GiB`, `26.29x`, `13 %`: as the log would print it. */
static void format_value(char *out, size_t size, enum log_id id, double value, int decimals)
{
	const char *unit = log_unit(id);

	snprintf(out, size, "%.*f%s%s", decimals, value, *unit && *unit != 'x' ? " " : "", unit);
}

/** Decimals that the log prints: none of what is counted. */
static int decimals_of(enum log_id id)
{
	const char *unit = log_unit(id);

	return !strcmp(unit, "tokens") || !strcmp(unit, "blocks") || !strcmp(unit, "sizes") ||
			       !strcmp(unit, "layers")
		       ? 0
		       : 2;
}

static void fill_text(struct log_row *row, const struct log_figure *figure,
		      const struct answer *ours)
{
	const char *arrow = strstr(figure->text, "-> ");
	const char *logged = arrow ? arrow + 3 : figure->text;

	snprintf(row->logged, sizeof(row->logged), "%s", *figure->text ? figure->text : "yes");
	snprintf(row->ours, sizeof(row->ours), "%s", ours->text);
	/* Words of ours say that the engine chooses: nothing to compare. */
	row->differs =
		*ours->text && !strchr(ours->text, ' ') && strcasecmp(logged, ours->text) != 0;
	row->term = row->differs ? ours->term : "";
}

static void fill_number(struct log_row *row, const struct log_figure *figure,
			const struct answer *ours, const struct serve_log *log,
			const struct ss_kernel *kernel)
{
	/* Free memory is compared by the device's total, which both know. */
	double logged = figure->id == LOG_FREE ? figure->second : figure->value;
	int decimals = decimals_of(figure->id);

	row->has_numbers = true;
	row->logged_value = logged;
	format_value(row->logged, sizeof(row->logged), figure->id, logged, decimals);
	if (figure->id == LOG_CONCURRENCY)
		snprintf(row->logged, sizeof(row->logged), "%.2fx at %.0f tokens", logged,
			 figure->second);
	if (!ours->is_number)
		return;
	row->ours_value = rounded(ours->value, decimals);
	row->difference_value = rounded(rounded(logged, decimals) - row->ours_value, decimals);
	row->differs = row->difference_value != 0;
	format_value(row->ours, sizeof(row->ours), figure->id, row->ours_value, decimals);
	if (!row->differs)
		snprintf(row->difference, sizeof(row->difference), "0");
	else if (row->ours_value != 0)
		snprintf(row->difference, sizeof(row->difference), "%+.*f (%+.1f %%)", decimals,
			 row->difference_value, 100 * row->difference_value / row->ours_value);
	else
		snprintf(row->difference, sizeof(row->difference), "%+.*f", decimals,
			 row->difference_value);
	if (row->differs)
		row->term = cause(log, figure->id, row->difference_value, ours, kernel);
}

static bool is_text_figure(enum log_id id)
{
	return id == LOG_VERSION || id == LOG_ATTENTION || id == LOG_MOE || id == LOG_GRAPH_MODE ||
	       id == LOG_NO_BLOCKS;
}

/** Did an earlier rank print the same? Then they share a row. */
static bool is_repeated(const struct serve_log *log, size_t index)
{
	const struct log_figure *figure = &log->items[index];
	int decimals = decimals_of(figure->id);

	for (size_t i = 0; i < index; i++) {
		const struct log_figure *other = &log->items[i];

		if (other->id == figure->id &&
		    rounded(other->value, decimals) == rounded(figure->value, decimals) &&
		    rounded(other->second, decimals) == rounded(figure->second, decimals) &&
		    !strcmp(other->text, figure->text))
			return true;
	}
	return false;
}

/** Every start-up that gets that far prints these. */
static bool is_expected(enum log_id id)
{
	return id == LOG_LOADING || id == LOG_AVAILABLE || id == LOG_KV_TOKENS ||
	       id == LOG_CONCURRENCY || id == LOG_GRAPHS;
}

static void fill_missing(struct log_row *row, const struct answer *ours)
{
	snprintf(row->logged, sizeof(row->logged), "not in the log");
	if (ours->is_number)
		format_value(row->ours, sizeof(row->ours), row->id, ours->value,
			     decimals_of(row->id));
	row->term = "";
}

size_t log_compare(struct log_row *rows, const struct serve_log *log,
		   const struct ss_kernel *kernel)
{
	size_t count = 0;

	for (int id = 0; id < LOG_COUNT; id++) {
		struct answer ours = { .term = "" };
		size_t before = count;
		bool has_several;

		if (kernel)
			ours = answer_of((enum log_id)id, kernel);
		for (size_t i = 0; i < log->count && count < LOG_ROWS_MAX; i++) {
			const struct log_figure *figure = &log->items[i];
			struct log_row *row = &rows[count];

			if (figure->id != (enum log_id)id || is_repeated(log, i))
				continue;
			*row = (struct log_row){ .id = figure->id,
						 .line = figure->line,
						 .term = "" };
			snprintf(row->rank, sizeof(row->rank), "%s", figure->rank);
			if (is_text_figure(figure->id))
				fill_text(row, figure, &ours);
			else
				fill_number(row, figure, &ours, log, kernel);
			count++;
		}
		has_several = count - before > 1;
		for (size_t i = before; i < count && !has_several; i++)
			rows[i].rank[0] = '\0';
		if (count == before && is_expected((enum log_id)id) && count < LOG_ROWS_MAX) {
			rows[count] = (struct log_row){ .id = (enum log_id)id, .term = "" };
			fill_missing(&rows[count++], &ours);
		}
	}
	return count;
}

/* -- figures against each other -------------------------------------------------------- */

struct remarks {
	char (*lines)[LOG_REMARK_SIZE];
	size_t count;
};

static void remark(struct remarks *r, const char *format, ...) SS_PRINTF(2, 3);

static void remark(struct remarks *r, const char *format, ...)
{
	va_list arguments;

	if (r->count == LOG_REMARKS_MAX)
		return;
	va_start(arguments, format);
	(void)vsnprintf(r->lines[r->count], LOG_REMARK_SIZE, format, arguments);
	va_end(arguments);
	r->count++;
}

/** Ranks of unlike room: the engine takes the least for all. */
static void say_smallest(struct remarks *r, const struct serve_log *log)
{
	double low, high;

	if (!serve_log_range(log, LOG_AVAILABLE, &low, &high) ||
	    rounded(low, 2) == rounded(high, 2))
		return;
	for (size_t i = 0; i < log->count; i++) {
		const struct log_figure *figure = &log->items[i];

		if (figure->id != LOG_AVAILABLE || figure->value > low)
			continue;
		remark(r,
		       "%s has the least room for KV, %.2f GiB of up to %.2f, and decides for "
		       "all ranks",
		       *figure->rank ? figure->rank : "the rank without a name", low, high);
		return;
	}
}

/** The share of the device, less what the same rank counts, is the room it prints. */
static void check_room(struct remarks *r, const struct serve_log *log)
{
	double total, share, requested, room, weights, other, activation, graphs = 0;

	if (heaviest(log, LOG_TOTAL, &total) && heaviest(log, LOG_UTILIZATION, &share) &&
	    heaviest(log, LOG_REQUESTED, &requested) &&
	    fabs(total * share - requested) > 0.006 * total + 0.02)
		remark(r, "the log contradicts itself: %.2f GiB x %.4g is %.2f, not %.2f GiB",
		       total, share, total * share, requested);
	if (!heaviest(log, LOG_REQUESTED, &requested) || !lightest(log, LOG_AVAILABLE, &room) ||
	    !heaviest(log, LOG_WEIGHTS, &weights) || !heaviest(log, LOG_NON_TORCH, &other) ||
	    !heaviest(log, LOG_ACTIVATION, &activation))
		return;
	(void)heaviest(log, LOG_ESTIMATED, &graphs);
	if (fabs(requested - weights - other - activation - room) > 0.1 &&
	    fabs(requested - weights - other - activation - graphs - room) > 0.1)
		remark(r,
		       "the log contradicts itself: %.2f GiB less weights %.2f, non-torch %.2f and "
		       "activation %.2f is %.2f, not %.2f GiB for KV",
		       requested, weights, other, activation,
		       requested - weights - other - activation, room);
}

/** Tokens, blocks, concurrency and room are one figure four times. */
static void check_pool(struct remarks *r, const struct serve_log *log,
		       const struct ss_kernel *kernel)
{
	const struct ss_kv_pool *pool = kernel ? ss_kernel_kv_pool(kernel) : NULL;
	const struct log_figure *times = serve_log_find(log, LOG_CONCURRENCY);
	double tokens, room, blocks, ours, theirs;
	bool has_tokens = lightest(log, LOG_KV_TOKENS, &tokens) && tokens > 0;

	if (has_tokens && lightest(log, LOG_AVAILABLE, &room) && pool && pool->reported_tokens) {
		ours = (double)pool->blocks * (double)pool->block_bytes /
		       (double)pool->reported_tokens;
		theirs = room * GIB / tokens;
		if (fabs(theirs / ours - 1) > 0.02)
			remark(r,
			       "%.0f tokens in %.2f GiB are %.0f bytes a token, ours take %.0f: "
			       "the cache is laid out otherwise, or the two are of two starts",
			       tokens, room, theirs, ours);
	}
	if (has_tokens && lightest(log, LOG_BLOCKS, &blocks) && blocks > 0 &&
	    fabs(tokens / blocks - round(tokens / blocks)) > 0.001)
		remark(r, "the log contradicts itself: %.0f tokens are no whole blocks of %.0f",
		       tokens, blocks);
	/* Of window and hybrid models requests take fewer tokens than they are long. */
	if (has_tokens && times && times->second > 0 &&
	    times->value < 0.98 * floor(tokens / times->second * 100) / 100)
		remark(r,
		       "the log contradicts itself: %.0f tokens hold %.2f requests of %.0f, not "
		       "%.2f",
		       tokens, tokens / times->second, times->second, times->value);
}

size_t log_remarks(char (*lines)[LOG_REMARK_SIZE], const struct serve_log *log,
		   const struct ss_kernel *kernel)
{
	struct remarks r = { .lines = lines };

	say_smallest(&r, log);
	check_room(&r, log);
	check_pool(&r, log, kernel);
	return r.count;
}
