#include "case/difference.h"

#include <math.h>
#include <stdio.h>

#include "text/number.h"

/* Less than this is the same. */
#define SAME_S 5e-9

static void add_side(struct difference *out, const struct difference_side *side, int at)
{
	struct ss_divergence_effect effects[SS_DIVERGENCE_COUNT];
	size_t count = ss_kernel_divergences(side->kernel, side->batch, side->figure, effects);

	out->known_errors_s[at] = ss_kernel_known_error_s(side->kernel, side->batch, side->figure);
	for (size_t i = 0; i < count; i++) {
		size_t k = 0;

		if (!effects[i].has_seconds || effects[i].is_corrected)
			continue;
		while (k < out->part_count && out->parts[k].id != effects[i].id)
			k++;
		if (k == out->part_count)
			out->parts[out->part_count++] =
				(struct difference_part){ .id = effects[i].id };
		out->parts[k].seconds[at] = effects[i].seconds;
	}
}

static double change(const double seconds[2])
{
	return seconds[1] - seconds[0];
}

void difference_of(struct difference *out, const struct difference_side *a,
		   const struct difference_side *b)
{
	struct ss_step was, now;
	size_t kept = 0;

	*out = (struct difference){ 0 };
	ss_kernel_step(a->kernel, a->batch, &was);
	ss_kernel_step(b->kernel, b->batch, &now);
	out->seconds = ss_step_figure(&now, b->figure) - ss_step_figure(&was, a->figure);
	add_side(out, a, 0);
	add_side(out, b, 1);
	out->known_error_s = change(out->known_errors_s);
	for (size_t i = 0; i < out->part_count; i++)
		if (fabs(change(out->parts[i].seconds)) >= SAME_S)
			out->parts[kept++] = out->parts[i];
	out->part_count = kept;
}

bool difference_has_error(const struct difference *difference)
{
	return fabs(difference->known_error_s) >= SAME_S;
}

void difference_text(char *out, size_t size, const struct difference *difference)
{
	char error[64] = "";

	if (difference_has_error(difference))
		snprintf(error, sizeof(error), " (! %s known error)",
			 number_time_signed(difference->known_error_s).text);
	if (fabs(difference->seconds) < SAME_S && !*error)
		snprintf(out, size, "same price");
	else
		snprintf(out, size, "%s%s", number_time_signed(difference->seconds).text, error);
}

void difference_note(char *out, size_t size, const struct difference *difference)
{
	size_t used = 0;

	if (size)
		out[0] = '\0';
	if (!difference_has_error(difference))
		return;
	used = (size_t)snprintf(out, size, "of it %s a known error of the law",
				number_time_signed(difference->known_error_s).text);
	for (size_t i = 0; i < difference->part_count && used < size; i++)
		used += (size_t)snprintf(out + used, size - used, "%s%s%s", i ? ", " : " (",
					 ss_divergence(difference->parts[i].id)->name,
					 i + 1 == difference->part_count ? ")" : "");
}

void term_label_of_both(char *out, size_t size, enum ss_term_id term, enum ss_graph a,
			enum ss_graph b)
{
	const char *was = ss_term_label_in(term, a), *now = ss_term_label_in(term, b);

	snprintf(out, size, "%s%s%s", was, was == now ? "" : ", ", was == now ? "" : now);
}
