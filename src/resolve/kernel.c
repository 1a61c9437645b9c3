#include "resolve/kernel_impl.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "price/step.h"
#include "resolve/fixes.h"
#include "resolve/release_rules.h"
#include "resolve/release_terms.h"
#include "resolve/sm70.h"
#include "resolve/times_plan.h"

SS_PRINTF(5, 0)
static void report(struct ss_kernel *k, enum ss_severity severity, const char *code,
		   enum ss_field_id field, const char *format, va_list args)
{
	char pointer[160] = "";
	char message[640];

	if (!k->problems)
		return;
	if (field != SS_FIELD_COUNT)
		ss_scenario_pointer(pointer, sizeof(pointer), k->pool_index, field);
	(void)vsnprintf(message, sizeof(message), format, args);
	(void)ss_problems_add(k->problems, severity, code, k->scenario->file, pointer, "%s",
			      message);
}

void refuse(struct ss_kernel *k, const char *code, enum ss_field_id field, const char *format, ...)
{
	va_list args;

	k->refusals++;
	va_start(args, format);
	report(k, SS_REFUSAL, code, field, format, args);
	va_end(args);
}

void refuse_price(struct ss_kernel *k, const char *code, const char *format, ...)
{
	va_list args;

	k->has_price = false;
	va_start(args, format);
	report(k, SS_REFUSAL, code, SS_F_COEFFICIENTS, format, args);
	va_end(args);
}

void warn(struct ss_kernel *k, enum ss_field_id field, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	report(k, SS_WARNING, "W", field, format, args);
	va_end(args);
}

const char *stated_backend(const struct ss_kernel *k, enum ss_field_id id)
{
	const char *text = stated_text(k, id);
	const struct ss_list *list = &k->basis->in.pack->lists[ss_field(id)->list];

	for (size_t i = 0; *text && i < list->count; i++)
		if (strcasecmp(list->items[i], text) == 0)
			return list->items[i];
	return text;
}

static bool admits(const int64_t *list, size_t count, int64_t value)
{
	if (count == 0)
		return true;
	for (size_t i = 0; i < count; i++)
		if (list[i] == value)
			return true;
	return false;
}

static bool applies(const struct ss_kernel *k, int entry)
{
	const struct basis_entry *e = &k->basis->entries[entry];
	const struct ss_scope *scope;

	if (!e->has_layout_scope)
		return true;
	scope = &e->coefficient->scope;
	return admits(scope->tp, scope->tp_count, k->layout.tp) &&
	       admits(scope->ep, scope->ep_count, k->layout.ep) &&
	       admits(scope->nodes_spanned, scope->nodes_spanned_count, k->layout.nodes_spanned);
}

bool coef_is_of_model(const struct ss_basis *basis, int entry)
{
	const struct ss_coefficient *c = basis->entries[entry].coefficient;

	return c && c->scope.model_count;
}

int coef_winner(const struct ss_kernel *k, int last)
{
	const struct basis_entry *entries = k->basis->entries;
	int winner = last;

	while (winner >= 0 && !applies(k, winner))
		winner = entries[winner].previous;
	if (winner < 0 || !coef_family_prefers_model(entries[winner].family))
		return winner;
	for (int i = winner; i >= 0; i = entries[i].previous)
		if (coef_is_of_model(k->basis, i) && applies(k, i))
			return i;
	return winner;
}

struct coef coef_bind(const struct ss_kernel *k, int last)
{
	int entry = coef_winner(k, last);

	return entry < 0 ? COEF_NONE : (struct coef){ k->basis->entries[entry].value, entry };
}

struct coef coef_optional(struct ss_kernel *k, enum coef_family family)
{
	struct coef c = coef_bind(k, k->basis->plain[family]);

	if (!coef_is_set(c))
		note_absent(&k->notes, family, NULL, WHY_DEFAULT);
	return c;
}

struct coef coef_by_width(const struct ss_kernel *k, const struct basis_widths *widths, int wanted)
{
	struct coef best = COEF_NONE, narrowest = COEF_NONE;
	int best_width = 0, narrowest_width = 0;

	for (size_t i = 0; i < widths->count; i++) {
		struct coef c = coef_bind(k, widths->entry[i]);
		int width = widths->width[i];

		if (!coef_is_set(c))
			continue;
		if (width <= wanted && width > best_width) {
			best = c;
			best_width = width;
		}
		if (!narrowest_width || width < narrowest_width) {
			narrowest = c;
			narrowest_width = width;
		}
	}
	return best_width ? best : narrowest;
}

/* -- text the kernel owns --------------------------------------------------------------- */

const char *kernel_text(struct ss_kernel *k, const char *format, ...)
{
	char text[1024];
	va_list args;
	size_t length;
	struct text_block *block = k->text;
	char *out;

	va_start(args, format);
	(void)vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	length = strlen(text) + 1;
	if (!block || block->size - block->used < length) {
		size_t size = length > 8192 ? length : 8192;

		block = malloc(sizeof(*block) + size);
		if (!block)
			return NULL;
		*block = (struct text_block){ .next = k->text, .size = size };
		k->text = block;
	}
	out = block->bytes + block->used;
	memcpy(out, text, length);
	block->used += length;
	return out;
}

/* -- life ------------------------------------------------------------------------------- */

/** Forget the last deployment, keep the memory. */
static void kernel_clear(struct ss_kernel *k)
{
	struct ss_kernel kept = *k;

	free(k->entries);
	free(k->overrides);
	free(k->entry_of_basis);
	sm70_release(k);
	while (k->text) {
		struct text_block *next = k->text->next;

		free(k->text);
		k->text = next;
	}
	memset(k, 0, offsetof(struct ss_kernel, notes));
	k->notes.assumption_count = k->notes.absent_count = k->notes.override_count = 0;
	memset(&k->plan, 0, sizeof(k->plan));
	memset(&k->memory, 0, sizeof(*k) - offsetof(struct ss_kernel, memory));
	k->set.sizes = kept.set.sizes;
	k->set.size_capacity = kept.set.size_capacity;
	k->plan.layers = kept.plan.layers;
	k->plan.ops = kept.plan.ops;
	k->plan.op_capacity = kept.plan.op_capacity;
	k->plan.times = kept.plan.times;
	k->plan.time_uses = kept.plan.time_uses;
	k->caches = kept.caches;
	k->cache_count = kept.cache_count;
}

void ss_kernel_free(struct ss_kernel *kernel)
{
	if (!kernel)
		return;
	kernel_clear(kernel);
	free(kernel->set.sizes);
	free(kernel->plan.layers);
	free(kernel->plan.ops);
	free(kernel->plan.times);
	free(kernel->plan.time_uses);
	times_release(&kernel->times);
	free(kernel->caches);
	free(kernel);
}

/** Room for the plan of a model; made once, kept for the next deployment. */
static bool has_room(struct ss_kernel *k)
{
	const struct ss_model *model = k->basis->in.model;
	size_t kinds = model->kind_count, nodes = 1;

	for (size_t i = 0; i < kinds; i++)
		nodes += model->kinds[i].node_count;
	if (k->caches && k->cache_count == kinds && k->plan.op_capacity >= nodes)
		return true;
	free(k->plan.layers);
	free(k->plan.ops);
	free(k->plan.times);
	free(k->plan.time_uses);
	free(k->caches);
	k->plan.layers = calloc(kinds + 1, sizeof(*k->plan.layers));
	k->plan.ops = calloc(nodes, sizeof(*k->plan.ops));
	k->caches = calloc(kinds + 1, sizeof(*k->caches));
	if (!k->set.sizes) {
		k->set.size_capacity = 64;
		k->set.sizes = calloc(k->set.size_capacity, sizeof(*k->set.sizes));
	}
	k->plan.op_capacity = nodes;
	/* an attention is two, a router, shared experts and small kernels come on top */
	k->plan.times = calloc(3 * (nodes + kinds) + 8, sizeof(*k->plan.times));
	k->plan.time_uses = calloc(3 * (nodes + kinds) + 8, sizeof(*k->plan.time_uses));
	k->cache_count = kinds;
	return k->plan.layers && k->plan.ops && k->plan.times && k->plan.time_uses && k->caches &&
	       k->set.sizes;
}

/** Settle everything; refusals are counted, problems reported when a list is kept. */
static enum ss_status resolve(struct ss_kernel *k)
{
	size_t errors;

	if (!has_room(k))
		return SS_ENOMEM;
	k->has_price = true;
	k->refusals += ss_scenario_check(k->scenario, k->problems);
	resolve_layout(k);
	resolve_settings(k);
	if (k->refusals)
		return SS_EREFUSED;
	resolve_caches(k);
	resolve_plan(k);
	errors = k->problems ? ss_problems_count(k->problems, SS_ERROR) : 0;
	resolve_times(k);
	if (k->times.is_out_of_memory)
		return SS_ENOMEM;
	/* Without a document that is there the figure would be another; it is read anew. */
	if (k->problems && ss_problems_count(k->problems, SS_ERROR) > errors) {
		k->times.registry = NULL;
		return SS_EDOCUMENT;
	}
	resolve_memory(k);
	settle_release_terms(k);
	if (k->refusals)
		return SS_EREFUSED;
	resolve_pool(k);
	release_rules_check(k, true);
	sm70_check(k);
	if (k->refusals)
		return SS_EREFUSED;
	fill_resolution(k);
	return SS_OK;
}

enum ss_status ss_kernel_renew(struct ss_kernel **kernel, const struct ss_basis *basis,
			       const struct ss_scenario *scenario, size_t pool,
			       unsigned corrections, struct ss_problems *problems)
{
	struct ss_kernel *k = *kernel;

	if (!k) {
		k = calloc(1, sizeof(*k));
		if (!k)
			return SS_ENOMEM;
		*kernel = k;
	} else {
		kernel_clear(k);
	}
	k->basis = basis;
	k->scenario = scenario;
	k->pool_index = pool;
	k->corrections = corrections;
	k->problems = problems;
	return resolve(k);
}

enum ss_status ss_kernel_new(struct ss_kernel **out, const struct ss_basis *basis,
			     const struct ss_scenario *scenario, size_t pool, unsigned corrections,
			     struct ss_problems *problems)
{
	struct ss_kernel *k = NULL;
	size_t first = problems ? problems->count : 0;
	enum ss_status rc = ss_kernel_renew(&k, basis, scenario, pool, corrections, problems);

	if (rc == SS_OK && !kernel_finish(k))
		rc = SS_ENOMEM;
	if (rc == SS_OK && !k->has_price && problems)
		fixes_search(problems, first, basis, scenario, pool, corrections);
	if (rc == SS_OK) {
		k->problems = NULL;
		k->scenario = NULL;
		*out = k;
		return SS_OK;
	}
	ss_kernel_free(k);
	if (rc == SS_EREFUSED && problems)
		fixes_search(problems, first, basis, scenario, pool, corrections);
	return rc;
}

bool ss_kernel_has_price(const struct ss_kernel *kernel)
{
	return kernel->has_price;
}

const struct ss_basis *ss_kernel_basis(const struct ss_kernel *kernel)
{
	return kernel->basis;
}

const struct ss_resolution *ss_kernel_resolution(const struct ss_kernel *kernel)
{
	return &kernel->resolution;
}

size_t ss_kernel_capture_sizes(const struct ss_kernel *kernel, int64_t *out, size_t capacity)
{
	for (size_t i = 0; out && i < kernel->set.size_count && i < capacity; i++)
		out[i] = kernel->set.sizes[i];
	return kernel->set.size_count;
}
