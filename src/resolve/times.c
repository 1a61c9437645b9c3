#include "resolve/times.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct time_kept {
	struct time_kept *next;
	const void *source; /**< the entry of a grid, or a curve of a family */
	double n, k;        /**< of a grid; 0 */
	double edge;
	struct curve curve;
	double points[];
};

/* clang-format off */
static const struct {
	const char *name;
	double bytes;
} formats[] = {
#define X(id, name, bytes) { name, bytes },
	TIME_FORMATS(X)
#undef X
};
/* clang-format on */

const char *time_format_name(enum time_format format)
{
	return formats[format].name;
}

double time_format_bytes(enum time_format format)
{
	return formats[format].bytes;
}

enum { KEPT_SLOTS = 256, KEPT_MAX = 4096 };

/* -- documents -------------------------------------------------------------------------- */

static const struct ss_times *load(struct times_state *t, const char *what,
				   struct ss_problems *problems)
{
	const char *part = *t->part->kernel_times ? t->part->kernel_times : t->part->name;
	char name[256];

	(void)snprintf(name, sizeof(name), "%s-%s", part, what);
	return ss_registry_times(t->registry, name, problems);
}

static bool lists_part(const struct ss_times *times, const char *part)
{
	for (size_t i = 0; i < times->hardware_count; i++)
		if (strcmp(times->hardware[i], part) == 0)
			return true;
	return false;
}

static void drop_kept(struct times_state *t)
{
	for (size_t i = 0; i < t->kept_size; i++)
		while (t->kept[i]) {
			struct time_kept *next = t->kept[i]->next;

			free(t->kept[i]);
			t->kept[i] = next;
		}
	t->kept_count = 0;
}

void times_release(struct times_state *t)
{
	drop_kept(t);
	free(t->kept);
	*t = (struct times_state){ 0 };
}

void times_aim(struct times_state *t, struct ss_registry *registry, const struct ss_part *part,
	       const char *release, struct ss_problems *problems)
{
	t->choice_count = 0;
	t->experts = NULL;
	if (t->kept_count > KEPT_MAX)
		drop_kept(t);
	t->minor = ss_release_minor(release);
	if (!t->minor)
		t->minor = ss_release_minor(SS_PRICED_RELEASE);
	if (t->registry == registry && t->part == part)
		return;
	drop_kept(t);
	t->registry = registry;
	t->part = part;
	t->laws = t->links = t->terms = NULL;
	memset(t->has_gemm, 0, sizeof(t->has_gemm));
	memset(t->has_moe, 0, sizeof(t->has_moe));
	if (!registry)
		return;
	t->laws = load(t, "laws", problems);
	if (!t->laws || !lists_part(t->laws, part->name)) {
		t->laws = NULL;
		return;
	}
	t->links = load(t, "links", problems);
	t->terms = ss_registry_times(registry, "terms", problems);
	if (t->terms && !lists_part(t->terms, part->name))
		t->terms = NULL;
}

const struct ss_times *times_gemm_document(struct times_state *t, enum time_format format,
					   struct ss_problems *problems)
{
	char what[64];

	if (!t->has_gemm[format]) {
		(void)snprintf(what, sizeof(what), "gemm-%s", formats[format].name);
		t->gemm[format] = load(t, what, problems);
		t->has_gemm[format] = true;
	}
	return t->gemm[format];
}

const struct ss_times *times_moe_document(struct times_state *t, enum time_format format,
					  struct ss_problems *problems)
{
	char what[64];

	if (!t->has_moe[format]) {
		(void)snprintf(what, sizeof(what), "moe-%s", formats[format].name);
		t->moe[format] = load(t, what, problems);
		t->has_moe[format] = true;
	}
	return t->moe[format];
}

const struct ss_times_entry *times_entry(const struct times_state *t,
					 const struct ss_times *document,
					 enum ss_times_family family, const char *format)
{
	for (size_t i = 0; document && i < document->count; i++) {
		const struct ss_times_entry *e = &document->entries[i];

		if (e->family == family && (!format || strcmp(e->format, format) == 0) &&
		    ss_times_holds(e, t->minor))
			return e;
	}
	return NULL;
}

/* -- curves ----------------------------------------------------------------------------- */

static size_t slot_of(const struct times_state *t, const void *source, double n, double k)
{
	uint64_t hash = (uint64_t)(uintptr_t)source * 0x9e3779b97f4a7c15u;

	hash ^= (uint64_t)n * 0xff51afd7ed558ccdu + (uint64_t)k * 0xc4ceb9fe1a85ec53u;
	return (size_t)(hash >> 40) & (t->kept_size - 1);
}

static struct time_kept *find_kept(const struct times_state *t, const void *source, double n,
				   double k)
{
	struct time_kept *kept = t->kept_size ? t->kept[slot_of(t, source, n, k)] : NULL;

	while (kept && (kept->source != source || kept->n != n || kept->k != k))
		kept = kept->next;
	return kept;
}

/** A new curve with room for `size` points on each side; NULL when out of memory. */
static struct time_kept *keep(struct times_state *t, const void *source, double n, double k,
			      size_t size)
{
	struct time_kept *kept;
	size_t slot;

	if (!t->kept) {
		t->kept = calloc(KEPT_SLOTS, sizeof(struct time_kept *));
		t->kept_size = t->kept ? KEPT_SLOTS : 0;
	}
	kept = t->kept ? calloc(1, sizeof(*kept) + 2 * size * sizeof(double)) : NULL;
	if (!kept) {
		t->is_out_of_memory = true;
		return NULL;
	}
	slot = slot_of(t, source, n, k);
	kept->source = source;
	kept->n = n;
	kept->k = k;
	kept->next = t->kept[slot];
	t->kept[slot] = kept;
	t->kept_count++;
	return kept;
}

const struct curve *times_curve(struct times_state *t, const struct ss_curve *curve)
{
	struct time_kept *kept = find_kept(t, curve, 0, 0);

	if (kept)
		return &kept->curve;
	kept = keep(t, curve, 0, 0, curve->count);
	if (!kept)
		return NULL;
	for (size_t i = 0; i < curve->count; i++) {
		kept->points[i] = log(curve->x[i]);
		kept->points[curve->count + i] = log(curve->us[i]);
	}
	kept->curve = (struct curve){
		.count = curve->count,
		.log_x = kept->points,
		.log_value = kept->points + curve->count,
		.tail = curve_tail(curve->count, kept->points, kept->points + curve->count),
	};
	return &kept->curve;
}

/** Where a width lies among those measured. */
struct bracket {
	size_t low, high; /**< indexes, equal at and beyond an edge */
	double share;     /**< of the high one */
	double edge;      /**< log of the width over the edge's */
};

static struct bracket bracket_of(const struct ss_times_entry *e, int axis, double width)
{
	const int64_t *values = e->axes[axis];
	struct bracket b = { 0, e->axis_counts[axis] - 1, 0, 0 };
	double low = (double)values[b.low], high = (double)values[b.high];

	if (width <= low || width >= high) {
		b.low = b.high = width <= low ? 0 : b.high;
		b.edge = log(width / (double)values[b.low]);
		return b;
	}
	while (b.high - b.low > 1) {
		size_t middle = (b.low + b.high) / 2;

		if ((double)values[middle] <= width)
			b.low = middle;
		else
			b.high = middle;
	}
	b.share = log(width / (double)values[b.low]) /
		  log((double)values[b.high] / (double)values[b.low]);
	return b;
}

/** The curve at two places of the axes; a corner that lacks is the next narrower n's, scaled. */
static const struct curve *corner(struct times_state *t, const struct ss_times_entry *e, size_t n,
				  size_t k, double *beyond)
{
	for (size_t i = n + 1; i-- > 0;) {
		const int64_t key[SS_TIMES_KEYS_MAX] = { e->axes[0][i], e->axes[1][k] };
		const struct ss_curve *curve = ss_times_curve(e, key);

		if (!curve)
			continue;
		*beyond = log((double)e->axes[0][n] / (double)e->axes[0][i]);
		return times_curve(t, curve);
	}
	return NULL;
}

const struct curve *times_grid(struct times_state *t, const struct ss_times_entry *e, double n,
			       double k, double *edge)
{
	struct time_kept *kept = find_kept(t, e, n, k);
	struct bracket bn, bk;
	struct curve_part parts[4];
	double beyond = 0, sum;
	size_t count = 0, size;

	if (kept) {
		*edge = kept->edge;
		return &kept->curve;
	}
	bn = bracket_of(e, 0, n);
	bk = bracket_of(e, 1, k);
	sum = bn.edge + bk.edge;
	for (int i = 0; i < 4; i++) {
		bool is_high_n = i & 1, is_high_k = i & 2;
		double weight = (is_high_n ? bn.share : 1 - bn.share) *
				(is_high_k ? bk.share : 1 - bk.share);

		if (!(weight > 0))
			continue;
		parts[count].weight = weight;
		parts[count].curve = corner(t, e, is_high_n ? bn.high : bn.low,
					    is_high_k ? bk.high : bk.low, &beyond);
		if (!parts[count++].curve)
			return NULL;
		sum += weight * beyond;
	}
	size = curve_blend_size(parts, count);
	kept = keep(t, e, n, k, size);
	if (!kept)
		return NULL;
	kept->curve = curve_blend(parts, count, kept->points, kept->points + size);
	*edge = kept->edge = sum;
	return &kept->curve;
}
