#include "case/score.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "case/score_impl.h"
#include "text/where.h"
#include "text/words.h"
#include "text/xbuf.h"

/* -- opening --------------------------------------------------------------------------------- */

char *score_shipped(const struct ss_registry *registry)
{
	return ss_registry_file(registry, SCORE_SHIPPED);
}

/** Where the registry lies is of no interest. */
static bool is_shipped(const char *file)
{
	size_t length = strlen(file), own = strlen("/" SCORE_SHIPPED);

	return length > own && !strcmp(file + length - own, "/" SCORE_SHIPPED);
}

static void init_row(struct score *score, size_t index)
{
	struct score_row *row = &score->rows[index];

	row->run = &score->runs.items[index];
	for (int v = 0; v < SCORE_VIEW_COUNT; v++)
		row->seconds[v] = NAN;
	row->is_release_assumed = !*row->run->engine_version;
	row->release = score_release_of(score, row->run);
	if (*row->run->fault) {
		row->refusal = xstrdup(row->run->fault);
		row->is_done = true;
	}
}

enum ss_status score_open(struct score *out, struct ss_registry *registry,
			  const struct session_request *request, const char *file,
			  struct ss_problems *problems)
{
	enum ss_status rc;

	*out = (struct score){ .registry = registry, .request = request };
	out->file = xstrdup(is_shipped(file) ? SCORE_SHIPPED : file);
	rc = ss_runs_load(&out->runs, file, problems);
	if (rc)
		return rc;
	out->rows = xcalloc(out->runs.count, sizeof(*out->rows));
	for (size_t i = 0; i < out->runs.count; i++)
		init_row(out, i);
	return SS_OK;
}

void score_close(struct score *score)
{
	ss_kernel_free(score->kernel);
	ss_scenario_free(score->scenario);
	for (size_t i = 0; i < score->basis_count; i++)
		score_basis_release(&score->bases[i]);
	free(score->bases);
	score->kernel = NULL;
	score->scenario = NULL;
	score->bases = NULL;
	score->basis_count = 0;
}

void score_release(struct score *score)
{
	score_close(score);
	for (size_t i = 0; score->rows && i < score->runs.count; i++) {
		free(score->rows[i].refusal);
		ss_scenario_free(score->rows[i].scenario);
	}
	free(score->rows);
	ss_runs_release(&score->runs);
	free(score->file);
	*score = (struct score){ 0 };
}

/* -- releases -------------------------------------------------------------------------------- */

/** Releases in order, `0.9.2` before `0.10.0`. */
static int compare_releases(const void *a, const void *b)
{
	const char *x = *(const char *const *)a, *y = *(const char *const *)b;

	while (*x && *y) {
		char *x_end, *y_end;
		unsigned long m = strtoul(x, &x_end, 10), n = strtoul(y, &y_end, 10);

		if (m != n)
			return m < n ? -1 : 1;
		if (x_end == x || y_end == y)
			break;
		x = x_end + (*x_end == '.');
		y = y_end + (*y_end == '.');
	}
	return strcmp(x, y);
}

/** The middle one of the releases that rows like this state; NULL where none does. */
static const char *middle_release(const struct score *score, const struct ss_run *like,
				  bool same_model, bool same_part)
{
	const char **stated = xcalloc(score->runs.count, sizeof(*stated));
	const char *middle = NULL;
	size_t count = 0;

	for (size_t i = 0; i < score->runs.count; i++) {
		const struct ss_run *run = &score->runs.items[i];

		if (*run->engine_version && (!same_model || !strcmp(run->model, like->model)) &&
		    (!same_part || !strcmp(run->part, like->part)))
			stated[count++] = run->engine_version;
	}
	qsort(stated, count, sizeof(*stated), compare_releases);
	if (count)
		middle = stated[count / 2];
	free(stated);
	return middle;
}

const char *score_release_of(const struct score *score, const struct ss_run *run)
{
	const char *release = NULL;

	if (*run->engine_version)
		return run->engine_version;
	if (score->request->adhoc.engine_version)
		return score->request->adhoc.engine_version;
	for (int shared = 2; shared >= 0 && !release; shared--)
		release = middle_release(score, run, shared >= 1, shared >= 2);
	return release ? release : SS_PRICED_RELEASE;
}

/* -- views ---------------------------------------------------------------------------------------
 */

const char *score_view_name(enum score_view view)
{
	static const char *const names[] = {
#define X(id, name, title, brief) name,
		SCORE_VIEWS(X)
#undef X
	};

	return names[view];
}

const char *score_view_title(enum score_view view)
{
	static const char *const titles[] = {
#define X(id, name, title, brief) title,
		SCORE_VIEWS(X)
#undef X
	};

	return titles[view];
}

enum score_view score_view_of(enum ss_figure figure)
{
	static const enum score_view views[SS_FIGURE_COUNT] = {
		[SS_FIGURE_LEAD] = SCORE_KERNELS,          [SS_FIGURE_SERIAL] = SCORE_SERIAL,
		[SS_FIGURE_NO_OVERLAP] = SCORE_NO_OVERLAP, [SS_FIGURE_OVERLAP] = SCORE_OVERLAP,
		[SS_FIGURE_KERNELS] = SCORE_KERNELS,
	};

	return views[figure];
}

/* -- how far off --------------------------------------------------------------------------------
 */

double score_measured(const struct score_row *row, enum score_view view)
{
	return view == SCORE_SERVE_TTFT ? row->run->ttft_s : row->run->tpot_s;
}

double score_error(const struct score_row *row, enum score_view view)
{
	double measured = score_measured(row, view);

	return measured > 0 ? row->seconds[view] / measured - 1 : NAN;
}

static int compare_numbers(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/** Between order statistics. */
static double percentile(const double *sorted, size_t count, double p)
{
	double at = p * (double)(count - 1);
	size_t low = (size_t)at, high = low + 1 < count ? low + 1 : low;

	return sorted[low] + (sorted[high] - sorted[low]) * (at - (double)low);
}

void score_stat(struct score_stat *out, const struct score *score, enum score_view view,
		score_wants *wants, const void *context)
{
	double *sizes = xcalloc(score->runs.count, sizeof(*sizes));

	*out = (struct score_stat){ 0 };
	for (size_t i = 0; i < score->runs.count; i++) {
		double error = score_error(&score->rows[i], view);

		if (isnan(error) || (wants && !wants(&score->rows[i], context)))
			continue;
		sizes[out->rows++] = fabs(error);
		out->bias += error;
	}
	if (out->rows) {
		qsort(sizes, out->rows, sizeof(*sizes), compare_numbers);
		out->median = percentile(sizes, out->rows, 0.5);
		out->p90 = percentile(sizes, out->rows, 0.9);
		out->bias /= (double)out->rows;
	}
	free(sizes);
}

bool score_has(const struct score *score, enum score_view view)
{
	for (size_t i = 0; i < score->runs.count; i++)
		if (!isnan(score_error(&score->rows[i], view)))
			return true;
	return false;
}

/* -- groups ------------------------------------------------------------------------------------ */

const char *score_group_name(enum score_group group)
{
	static const char *const names[] = {
#define X(id, name) name,
		SCORE_GROUPS(X)
#undef X
	};

	return names[group];
}

static void length_text(char *out, size_t size, int64_t low, int64_t high)
{
	if (low < high)
		(void)snprintf(out, size, "%lld..%lld", (long long)low, (long long)high);
	else
		(void)snprintf(out, size, "%lld", (long long)low);
}

/** The text of a row's column that is a setting; "" where it has none. */
static const char *setting(const struct ss_run *run, enum ss_field_id field)
{
	struct ss_error err = { 0 };

	for (size_t i = 0; i < run->setting_count; i++)
		if (ss_field_find(run->settings[i].path, &err) == field)
			return run->settings[i].text;
	return "";
}

void score_group_value(char *out, size_t size, const struct score_row *row, enum score_group group)
{
	const struct ss_run *run = row->run;
	char in[48], tokens_out[48];

	*out = '\0';
	switch (group) {
	case SCORE_BY_MODEL:
		(void)snprintf(out, size, "%s", run->model);
		break;
	case SCORE_BY_PART:
		(void)snprintf(out, size, "%s", run->part);
		break;
	case SCORE_BY_PRECISION:
		(void)snprintf(out, size, "%s", run->precision);
		break;
	case SCORE_BY_TP:
		(void)snprintf(out, size, "%s", setting(run, SS_F_TP));
		break;
	case SCORE_BY_BATCH:
		(void)snprintf(out, size, "%lld", (long long)run->concurrency);
		break;
	case SCORE_BY_LENGTH:
		length_text(in, sizeof(in), run->prompt_low, run->prompt_high);
		length_text(tokens_out, sizeof(tokens_out), run->output_low, run->output_high);
		(void)snprintf(out, size, "%s/%s", in, tokens_out);
		break;
	case SCORE_BY_RELEASE:
		(void)snprintf(out, size, "%s", run->engine_version);
		break;
	case SCORE_BY_SOURCE:
		(void)snprintf(out, size, "%s", run->source);
		break;
	case SCORE_GROUP_COUNT:
		break;
	}
}

enum { VALUE_SIZE = 256 };

/** Numbers by their size, before words. */
static int compare_values(const void *a, const void *b)
{
	const char *x = *(const char *const *)a, *y = *(const char *const *)b;
	double m, n;
	bool is_x = word_number(x, &m), is_y = word_number(y, &n);

	if (is_x && is_y && (m < n || m > n))
		return m < n ? -1 : 1;
	return is_x != is_y ? (int)is_y - (int)is_x : strcmp(x, y);
}

void score_group_values(const struct score *score, enum score_group group, char ***values,
			size_t *count)
{
	char value[VALUE_SIZE];
	size_t kept = 0;

	*values = xcalloc(score->runs.count, sizeof(**values));
	*count = 0;
	for (size_t i = 0; i < score->runs.count; i++) {
		score_group_value(value, sizeof(value), &score->rows[i], group);
		if (!*score->rows[i].run->fault)
			(*values)[(*count)++] = xstrdup(value);
	}
	qsort(*values, *count, sizeof(**values), compare_values);
	for (size_t i = 0; i < *count; i++) {
		if (kept && !strcmp((*values)[kept - 1], (*values)[i]))
			free((*values)[i]);
		else
			(*values)[kept++] = (*values)[i];
	}
	*count = kept;
}

/* -- tests ------------------------------------------------------------------------------------- */

static enum ss_status find_group(const char *name, enum score_group *out, struct ss_error *err)
{
	struct xbuf known = { 0 };
	enum ss_status rc = SS_OK;

	for (int g = 0; g < SCORE_GROUP_COUNT; g++) {
		*out = (enum score_group)g;
		if (!strcmp(score_group_name(*out), name)) {
			xbuf_release(&known);
			return SS_OK;
		}
		xbuf_printf(&known, "%s%s", g ? ", " : "", score_group_name(*out));
	}
	rc = ss_fail(err, SS_EUSAGE, "where", "no column %s; there are: %s", name,
		     xbuf_text(&known));
	xbuf_release(&known);
	return rc;
}

static int compare_texts(const char *a, const char *b)
{
	double x, y;

	if (word_number(a, &x) && word_number(b, &y))
		return (x > y) - (x < y);
	return strcmp(a, b);
}

enum ss_status score_keep(struct score *score, const char *test, struct ss_error *err)
{
	char name[64], text[VALUE_SIZE];
	const char *value;
	enum where_op op;
	enum score_group group;
	size_t kept = 0;
	enum ss_status rc;

	if (!where_split(test, name, sizeof(name), &op, &value))
		return ss_fail(err, SS_EUSAGE, "where", "must be " WHERE_FORM "; got %s", test);
	rc = find_group(name, &group, err);
	if (rc)
		return rc;
	score->runs.fault_count = 0;
	for (size_t i = 0; i < score->runs.count; i++) {
		score_group_value(text, sizeof(text), &score->rows[i], group);
		if (!where_holds(op, compare_texts(text, value))) {
			free(score->rows[i].refusal);
			continue;
		}
		score->runs.items[kept] = score->runs.items[i];
		score->rows[kept] = score->rows[i];
		score->rows[kept].run = &score->runs.items[kept];
		score->runs.fault_count += *score->rows[kept].run->fault != '\0';
		kept++;
	}
	score->runs.count = kept;
	return SS_OK;
}

struct wanted {
	enum score_group group;
	const char *value;
};

static bool is_of_group(const struct score_row *row, const void *context)
{
	const struct wanted *wanted = context;
	char value[VALUE_SIZE];

	score_group_value(value, sizeof(value), row, wanted->group);
	return !strcmp(value, wanted->value);
}

void score_group_stat(struct score_stat *out, const struct score *score, enum score_view view,
		      enum score_group group, const char *value)
{
	const struct wanted wanted = { group, value };

	score_stat(out, score, view, is_of_group, &wanted);
}
