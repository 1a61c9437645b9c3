#include "case/kernel_chart.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "text/number.h"
#include "text/shown.h"

void kernel_node(char *out, size_t size, const struct ss_time_sight *sight)
{
	int used = snprintf(out, size, "%s", sight->role);

	if (sight->n > 0 && used >= 0 && (size_t)used < size)
		(void)snprintf(out + used, size - (size_t)used, "%s%s x %s", used ? " " : "",
			       number_count(round(sight->n)).text,
			       number_count(round(sight->k)).text);
}

void kernel_parts(char *out, size_t size, const struct ss_time_sight *sight)
{
	bool has_law = sight->floor_us + sight->depth_us + sight->read_us + sight->math_us > 0;

	if (size)
		out[0] = '\0';
	if (!has_law)
		return;
	(void)snprintf(
		out, size, "floor %s, depth %s, reads %s, math %s",
		number_time(sight->floor_us * 1e-6).text, number_time(sight->depth_us * 1e-6).text,
		number_time(sight->read_us * 1e-6).text, number_time(sight->math_us * 1e-6).text);
}

static void add_mark(char *out, size_t size, const char *text)
{
	size_t used = strlen(out);

	(void)snprintf(out + used, size - used, "%s%s", used ? "; " : "", text);
}

void kernel_marks(char *out, size_t size, const struct ss_time_sight *sight)
{
	double log_x = log(sight->argument);
	char text[96];

	out[0] = '\0';
	if (fabs(sight->beyond - 1) > 1e-9) {
		(void)snprintf(text, sizeof(text), "a shape beyond the grid, x %.4g",
			       sight->beyond);
		add_mark(out, size, text);
	}
	if (sight->point_count && log_x > sight->log_x[sight->point_count - 1] + 1e-9)
		add_mark(out, size, "beyond the last point");
	else if (sight->point_count && log_x < sight->log_x[0] - 1e-9)
		add_mark(out, size, "below the first point");
	if (!sight->point_count && sight->floor_us > 0)
		add_mark(out, size, "no curve of this shape: the law");
	if (sight->release_distance) {
		(void)snprintf(text, sizeof(text), "measured %d minor releases away",
			       sight->release_distance);
		add_mark(out, size, text);
	}
}

/* -- the chart ------------------------------------------------------------------------------ */

struct chart {
	char cells[KERNEL_CHART_ROWS][KERNEL_CHART_COLS + 1];
	double low_x, high_x, low_y, high_y; /**< logarithms */
};

static void widen(double *low, double *high, double value)
{
	if (!isfinite(value))
		return;
	*low = fmin(*low, value);
	*high = fmax(*high, value);
}

static double x_of(const struct chart *c, int col)
{
	return c->low_x + (c->high_x - c->low_x) * col / (KERNEL_CHART_COLS - 1);
}

static void put(struct chart *c, double log_x, double log_y, char mark)
{
	int col =
		(int)lround((log_x - c->low_x) / (c->high_x - c->low_x) * (KERNEL_CHART_COLS - 1));
	int row =
		(int)lround((c->high_y - log_y) / (c->high_y - c->low_y) * (KERNEL_CHART_ROWS - 1));

	if (col >= 0 && col < KERNEL_CHART_COLS && row >= 0 && row < KERNEL_CHART_ROWS)
		c->cells[row][col] = mark;
}

/** As far as the points go and the step stands, and an octave to both sides. */
static void frame(struct chart *c, const struct ss_kernel *kernel, const struct ss_term *term,
		  const struct ss_time_sight *s)
{
	c->low_x = c->high_x = log(s->argument);
	c->low_y = c->high_y = log(s->us);
	for (size_t i = 0; i < s->point_count; i++) {
		widen(&c->low_x, &c->high_x, s->log_x[i]);
		widen(&c->low_y, &c->high_y, s->log_us[i] + log(s->beyond));
	}
	if (!s->point_count) {
		c->low_x -= log(32);
		c->high_x += log(32);
	}
	c->low_x = fmax(c->low_x - log(2), fmin(c->low_x, 0));
	c->high_x += log(2);
	for (int col = 0; col < KERNEL_CHART_COLS; col++)
		widen(&c->low_y, &c->high_y,
		      log(ss_kernel_time_at(kernel, term, exp(x_of(c, col)), true)));
	if (c->high_y - c->low_y < 0.1) {
		c->low_y -= 0.1;
		c->high_y += 0.1;
	}
	for (int row = 0; row < KERNEL_CHART_ROWS; row++) {
		memset(c->cells[row], ' ', KERNEL_CHART_COLS);
		c->cells[row][KERNEL_CHART_COLS] = '\0';
	}
}

static void write_chart(struct xbuf *out, const struct chart *c, const struct ss_time_sight *s)
{
	char left[64], right[80];

	for (int row = 0; row < KERNEL_CHART_ROWS; row++) {
		double log_y = row == 0 ? c->high_y : row == KERNEL_CHART_ROWS - 1 ? c->low_y : NAN;
		int end = KERNEL_CHART_COLS;

		while (end > 0 && c->cells[row][end - 1] == ' ')
			end--;
		xbuf_printf(out, "%10s |%.*s\n",
			    isfinite(log_y) ? number_time(exp(log_y) * 1e-6).text : "", end,
			    c->cells[row]);
	}
	(void)snprintf(left, sizeof(left), "%s", number_count(round(exp(c->low_x))).text);
	(void)snprintf(right, sizeof(right), "%s %s", number_count(round(exp(c->high_x))).text,
		       s->argument_name);
	xbuf_printf(out, "%10s +%s%*s\n", "", left, KERNEL_CHART_COLS - (int)strlen(left), right);
	xbuf_printf(out, "%10s  %s%s@ this step\n", "", s->point_count ? "o measured  " : "",
		    s->floor_us > 0 ? ". law  " : "");
}

void kernel_chart(struct xbuf *out, const struct ss_kernel *kernel, const struct ss_term *term,
		  const struct ss_time_sight *sight)
{
	struct chart c;

	if (!(sight->argument > 0) || !(sight->us > 0) ||
	    (!sight->point_count && !isfinite(ss_kernel_time_at(kernel, term, 1, true))))
		return;
	frame(&c, kernel, term, sight);
	for (int col = 0; col < KERNEL_CHART_COLS; col++)
		put(&c, x_of(&c, col),
		    log(ss_kernel_time_at(kernel, term, exp(x_of(&c, col)), true)), '.');
	for (size_t i = 0; i < sight->point_count; i++)
		put(&c, sight->log_x[i], sight->log_us[i] + log(sight->beyond), 'o');
	put(&c, log(sight->argument), log(sight->us), '@');
	write_chart(out, &c, sight);
}
