#include "app/choices.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* How a number moves. */
enum stepping {
	STEP_NONE,
	STEP_DOUBLE,  /* a width or a budget: twice, half */
	STEP_ONE,     /* a small count */
	STEP_BLOCK,   /* multiples the pack allows */
	STEP_PERCENT, /* a share, in hundredths */
};

/* clang-format off */
/* Numbers Space goes through; doubled up to a bound that the cluster or model sets. */
static const struct {
	enum ss_field_id field;
	enum stepping stepping;
	double from, to; /* of Space; 0, 0: what + would give */
} numbers[] = {
	{ SS_F_TP, STEP_DOUBLE, 1, 0 },
	{ SS_F_PP, STEP_DOUBLE, 1, 0 },
	{ SS_F_DP, STEP_DOUBLE, 1, 0 },
	{ SS_F_PCP, STEP_DOUBLE, 1, 0 },
	{ SS_F_DCP, STEP_DOUBLE, 1, 0 },
	{ SS_F_DP_LOCAL, STEP_DOUBLE, 1, 0 },
	{ SS_F_NODES, STEP_ONE, 0, 0 },
	{ SS_F_CLUSTER_NODES, STEP_ONE, 0, 0 },
	{ SS_F_BLOCK_SIZE, STEP_BLOCK, 16, 256 },
	{ SS_F_CP_INTERLEAVE, STEP_DOUBLE, 1, 256 },
	{ SS_F_MAX_CAPTURE, STEP_DOUBLE, 64, 1024 },
	{ SS_F_MAX_BATCHED_TOKENS, STEP_DOUBLE, 2048, 32768 },
	{ SS_F_MAX_NUM_SEQS, STEP_DOUBLE, 64, 1024 },
	{ SS_F_MAX_MODEL_LEN, STEP_DOUBLE, 8192, 131072 },
	{ SS_F_GPU_MEMORY_UTILIZATION, STEP_PERCENT, 0.8, 0.95 },
	{ SS_F_SPEC_TOKENS, STEP_ONE, 1, 5 },
	{ SS_F_REDUNDANT_EXPERTS, STEP_DOUBLE, 8, 64 },
};
/* clang-format on */

static const size_t number_count = sizeof(numbers) / sizeof(*numbers);

static size_t find_number(enum ss_field_id field)
{
	size_t i = 0;

	while (i < number_count && numbers[i].field != field)
		i++;
	return i;
}

static enum stepping stepping_of(const struct ss_field *row)
{
	size_t i = find_number(row->id);

	if (i < number_count)
		return numbers[i].stepping;
	switch (row->type) {
	case SS_TYPE_INT:
	case SS_TYPE_INT_OR_AUTO:
	case SS_TYPE_FLOAT:
		return STEP_DOUBLE;
	case SS_TYPE_BOOL:
	case SS_TYPE_TEXT:
	case SS_TYPE_NAME:
	case SS_TYPE_CHOICE:
	case SS_TYPE_INT_LIST:
	case SS_TYPE_NAME_LIST:
	case SS_TYPE_TEXT_MAP:
	case SS_TYPE_TIERS:
		break;
	}
	return STEP_NONE;
}

/* Ranks the pool has: no width goes past them. */
static double rank_limit(const struct choices_context *context)
{
	const struct ss_scenario *s = context->scenario;
	double nodes = (double)ss_scenario_value(s, context->pool, SS_F_NODES)->integer;
	double gpus = (double)ss_scenario_value(s, context->pool, SS_F_GPUS_PER_NODE)->integer;

	return fmax(nodes * gpus, 1);
}

static double upper_limit(const struct choices_context *context, const struct ss_field *row)
{
	size_t i = find_number(row->id);

	if (row->section == SS_SECTION_PARALLEL)
		return rank_limit(context);
	if (row->id == SS_F_MAX_MODEL_LEN && context->model && context->model->max_model_len > 0)
		return (double)context->model->max_model_len;
	if (row->id == SS_F_NODES)
		return (double)ss_scenario_value(context->scenario, 0, SS_F_CLUSTER_NODES)->integer;
	if (i < number_count && numbers[i].stepping == STEP_PERCENT)
		return 1;
	return row->max;
}

bool choices_running(const struct choices_context *context, enum ss_field_id field, double *out)
{
	const struct ss_resolution *r = context->resolution;
	double number = -1;

	if (!r)
		return false;
	if (field == SS_F_PCP)
		number = (double)r->prefill_context_parallel;
	else if (field == SS_F_DCP)
		number = (double)r->decode_context_parallel;
	else if (field == SS_F_BLOCK_SIZE)
		number = (double)r->block_size;
	else if (field == SS_F_MAX_CAPTURE)
		number = (double)r->max_cudagraph_capture_size;
	else if (field == SS_F_MAX_BATCHED_TOKENS)
		number = (double)r->max_num_batched_tokens;
	else if (field == SS_F_MAX_NUM_SEQS)
		number = (double)r->max_num_seqs;
	else if (field == SS_F_MAX_MODEL_LEN)
		number = (double)r->max_model_len;
	else if (field == SS_F_GPU_MEMORY_UTILIZATION)
		number = r->gpu_memory_utilization;
	if (number < 0)
		return false;
	*out = number;
	return true;
}

static bool number_of(const struct ss_field *row, const struct ss_value *value, double *out)
{
	if (!value->is_stated || value->is_auto)
		return false;
	*out = row->type == SS_TYPE_FLOAT ? value->number : (double)value->integer;
	return true;
}

static void put_number(struct ss_value *out, const struct ss_field *row, double number)
{
	*out = (struct ss_value){ .is_stated = true };
	if (row->type == SS_TYPE_FLOAT)
		out->number = number;
	else
		out->integer = (int64_t)llround(number);
}

static bool put_text(struct ss_value *out, const struct ss_field *row, const char *text)
{
	*out = (struct ss_value){ 0 };
	return ss_value_parse(out, row, text, NULL) == SS_OK;
}

static double block_multiple(const struct choices_context *context)
{
	const struct ss_pack *pack = context->pack;

	return pack && pack->block_size_multiple > 0 ? (double)pack->block_size_multiple : 16;
}

/* The number `step` moves a value to, before any bound. */
static double moved(const struct choices_context *context, enum stepping stepping, double now,
		    int step)
{
	double unit = block_multiple(context);

	switch (stepping) {
	case STEP_DOUBLE:
		if (step > 0)
			return now < 1 ? 1 : now * 2;
		return now <= 1 ? 0 : floor(now / 2);
	case STEP_ONE:
		return now + step;
	case STEP_BLOCK:
		if (step > 0)
			return (floor(now / unit) + 1) * unit;
		return (ceil(now / unit) - 1) * unit;
	case STEP_PERCENT:
		return (round(now * 100) + step) / 100;
	case STEP_NONE:
		break;
	}
	return now;
}

enum ss_document_kind choices_documents(enum ss_field_id field)
{
	if (field == SS_F_MODEL)
		return SS_DOCUMENT_MODEL;
	if (field == SS_F_HARDWARE)
		return SS_DOCUMENT_HARDWARE;
	if (field == SS_F_FABRIC)
		return SS_DOCUMENT_NETWORK;
	if (field == SS_F_ENGINE || field == SS_F_ENGINE_VERSION)
		return SS_DOCUMENT_PACK;
	if (field == SS_F_COEFFICIENTS)
		return SS_DOCUMENT_COEFFICIENTS;
	if (field == SS_F_STORAGE)
		return SS_DOCUMENT_STORAGE;
	return SS_DOCUMENT_COUNT;
}

/* Packs are named ENGINE-VERSION; give the part a field wants. */
static const char *pack_part(enum ss_field_id field, const char *pack, char *scratch, size_t size)
{
	const char *dash = strrchr(pack, '-');

	if (!dash)
		return pack;
	if (field == SS_F_ENGINE_VERSION)
		return dash + 1;
	snprintf(scratch, size, "%.*s", (int)(dash - pack), pack);
	return scratch;
}

static const char *fixed_word(const char *choices, size_t n, char *scratch, size_t size)
{
	while (n-- > 0) {
		choices = strchr(choices, ' ');
		if (!choices)
			return NULL;
		choices++;
	}
	snprintf(scratch, size, "%.*s", (int)strcspn(choices, " "), choices);
	return scratch;
}

bool choices_is_listed(enum ss_field_id field)
{
	return choices_documents(field) != SS_DOCUMENT_COUNT;
}

const char *choices_word(const struct choices_context *context, enum ss_field_id field, size_t n,
			 char *scratch, size_t size)
{
	const struct ss_field *row = ss_field(field);
	enum ss_document_kind kind = choices_documents(field);

	if (row->type == SS_TYPE_BOOL)
		return n == 0 ? "true" : n == 1 ? "false" : NULL;
	if (row->choices)
		return fixed_word(row->choices, n, scratch, size);
	if (row->list != SS_LIST_NONE) {
		const struct ss_list *list =
			context->pack ? &context->pack->lists[row->list] : NULL;

		return list && list->is_known && n < list->count ? list->items[n] : NULL;
	}
	if (kind != SS_DOCUMENT_COUNT && n < context->names[kind].count) {
		const char *name = context->names[kind].items[n];

		return kind == SS_DOCUMENT_PACK ? pack_part(field, name, scratch, size) : name;
	}
	if (row->type == SS_TYPE_INT_OR_AUTO && n == 0)
		return "auto";
	return NULL;
}

/* Does it run when it is left out? Then the first toggle turns it off. */
static bool is_on_unstated(const struct ss_field *row)
{
	return !strncmp(row->unstated, "on", 2) || !strncmp(row->unstated, "taken", 5);
}

static void cycle_bool(struct ss_value *out, const struct ss_field *row, const struct ss_value *now,
		       int step)
{
	bool usual = is_on_unstated(row);
	/* 0 unstated, 1 the other way, 2 as it would be anyway */
	int state = !now->is_stated ? 0 : (now->integer != 0) == usual ? 2 : 1;

	state = (state + step + 3) % 3;
	*out = (struct ss_value){ .is_stated = state != 0,
				  .integer = state == 1   ? !usual
					     : state == 2 ? usual
							  : 0 };
}

static bool cycle_words(struct ss_value *out, const struct choices_context *context,
			const struct ss_field *row, const struct ss_value *now, int step)
{
	char scratch[96];
	long count = 0, at = -1;
	const char *word = NULL;

	while ((word = choices_word(context, row->id, (size_t)count, scratch, sizeof(scratch)))) {
		if (now->is_stated && now->text && !strcmp(now->text, word))
			at = count;
		count++;
	}
	if (!count)
		return false;
	/* Unstated stands between the last and the first, as -1. */
	at += step;
	if (at < -1)
		at = count - 1;
	if (at >= count || at == -1) {
		if (!row->is_required)
			return true;
		at = step > 0 ? 0 : count - 1;
	}
	word = choices_word(context, row->id, (size_t)at, scratch, sizeof(scratch));
	return word && put_text(out, row, word);
}

/* Does the field, unstated, come out as something other than a number of this cycle? */
static bool cycle_number(struct ss_value *out, const struct choices_context *context,
			 const struct ss_field *row, const struct ss_value *now, int step)
{
	size_t i = find_number(row->id);
	double limit = upper_limit(context, row);
	double from = 0, to = limit, number = 0, next = 0;

	if (i == number_count || numbers[i].from <= 0)
		return choices_step(out, context, row->id, step);
	from = numbers[i].from;
	if (numbers[i].to > 0 && numbers[i].to < limit)
		to = numbers[i].to;
	if (numbers[i].stepping == STEP_BLOCK && block_multiple(context) > from)
		from = block_multiple(context);
	if (!number_of(row, now, &number)) {
		put_number(out, row, step > 0 ? from : to);
		return true;
	}
	if (numbers[i].stepping == STEP_PERCENT)
		next = (round(number * 100) + 5 * step) / 100;
	else if (numbers[i].stepping == STEP_ONE)
		next = number + step;
	else
		next = step > 0 ? number * 2 : floor(number / 2);
	if (next > to + 1e-9 || next < from - 1e-9) {
		if (row->is_required)
			put_number(out, row, step > 0 ? from : to);
		return true;
	}
	put_number(out, row, next);
	return true;
}

bool choices_cycle(struct ss_value *out, const struct choices_context *context,
		   enum ss_field_id field, int step)
{
	const struct ss_field *row = ss_field(field);
	const struct ss_value *now = ss_scenario_value(context->scenario, context->pool, field);

	*out = (struct ss_value){ 0 };
	switch (row->type) {
	case SS_TYPE_BOOL:
		cycle_bool(out, row, now, step);
		return true;
	case SS_TYPE_TEXT:
	case SS_TYPE_NAME:
	case SS_TYPE_CHOICE:
		return cycle_words(out, context, row, now, step);
	case SS_TYPE_INT:
	case SS_TYPE_INT_OR_AUTO:
	case SS_TYPE_FLOAT:
		return cycle_number(out, context, row, now, step);
	case SS_TYPE_INT_LIST:
	case SS_TYPE_NAME_LIST:
	case SS_TYPE_TEXT_MAP:
	case SS_TYPE_TIERS:
		break;
	}
	return false;
}

bool choices_step(struct ss_value *out, const struct choices_context *context,
		  enum ss_field_id field, int step)
{
	const struct ss_field *row = ss_field(field);
	const struct ss_value *now = ss_scenario_value(context->scenario, context->pool, field);
	enum stepping stepping = stepping_of(row);
	double number = 0, next = 0, limit = upper_limit(context, row);

	*out = (struct ss_value){ 0 };
	if (stepping == STEP_NONE)
		return choices_cycle(out, context, field, step);
	if (!number_of(row, now, &number) && !choices_running(context, field, &number))
		number = row->min;
	next = moved(context, stepping, number, step);
	/* Half of a width that is no power of two, or twice one near the end, stops there. */
	if (step > 0 && next > limit && number < limit)
		next = limit;
	if (next < fmax(row->min, stepping == STEP_BLOCK ? 1 : row->min) || next > limit)
		return false;
	if (row->min <= 0 && next <= 0)
		return false;
	put_number(out, row, next);
	return true;
}
