#include <stdio.h>
#include <string.h>

#include "documents/value_text.h"
#include "stepscope/load.h"

/* clang-format off */
static const struct unit_of_time {
	const char *name;
	double seconds;
} units[] = {
	{ "us", 1e-6 },
	{ "ms", 1e-3 },
	{ "s", 1 },
};
/* clang-format on */

static const double USUAL_PERCENTILE = 0.9;
/* Some thirty years: more is a slip of the pen, and must not overflow in ms. */
static const double SECONDS_MOST = 1e9;
enum { WORD_MAX = 64 };

const char *ss_latency_name(enum ss_latency_id id)
{
	static const char *const names[] = {
#define SS_X(id, name, label) name,
		SS_LATENCIES(SS_X)
#undef SS_X
	};

	return names[id];
}

const char *ss_latency_label(enum ss_latency_id id)
{
	static const char *const labels[] = {
#define SS_X(id, name, label) label,
		SS_LATENCIES(SS_X)
#undef SS_X
	};

	return labels[id];
}

static bool read_seconds(const char *text, double *out)
{
	size_t length = strlen(text);

	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
		size_t own = strlen(units[i].name);
		char number[WORD_MAX];

		if (length <= own || strcmp(text + length - own, units[i].name) != 0)
			continue;
		memcpy(number, text, length - own);
		number[length - own] = '\0';
		if (!parse_number(number, out) || !(*out > 0))
			return false;
		*out *= units[i].seconds;
		return *out > 0 && *out <= SECONDS_MOST;
	}
	return false;
}

static bool read_percentile(const char *text, double *out)
{
	if (*text != 'p' || !parse_number(text + 1, out) || !(*out > 0) || *out > 100)
		return false;
	*out /= 100;
	return true;
}

static bool find_latency(const char *name, enum ss_latency_id *out)
{
	for (int id = 0; id < SS_LATENCY_COUNT; id++)
		if (strcmp(name, ss_latency_name((enum ss_latency_id)id)) == 0) {
			*out = (enum ss_latency_id)id;
			return true;
		}
	/* as the engine's own benchmark calls it */
	*out = SS_LATENCY_E2E;
	return strcmp(name, "e2el") == 0;
}

static enum ss_status read_term(struct ss_slo *slo, char *term, struct ss_error *err)
{
	char *value = strchr(term, '='), *percentile;
	size_t n = slo->term_count;

	if (!value)
		value = strchr(term, ':');
	if (!value)
		return ss_fail(err, SS_EUSAGE, "slo",
			       "\"%s\" wants the form ttft=500ms or tpot=30ms@p99", term);
	*value++ = '\0';
	percentile = strchr(value, '@');
	if (percentile)
		*percentile++ = '\0';
	if (n == SS_SLO_TERMS_MAX)
		return ss_fail(err, SS_EUSAGE, "slo", "holds more than %d terms", SS_SLO_TERMS_MAX);
	if (!find_latency(term, &slo->terms[n].latency))
		return ss_fail(err, SS_EUSAGE, "slo", "no latency \"%s\": ttft, tpot, itl or e2e",
			       term);
	if (!read_seconds(value, &slo->terms[n].limit_s))
		return ss_fail(err, SS_EUSAGE, "slo",
			       "%s: \"%s\" wants a time above 0, at most 1e9 s, with us, ms or s",
			       term, value);
	slo->terms[n].percentile = USUAL_PERCENTILE;
	if (percentile && !read_percentile(percentile, &slo->terms[n].percentile))
		return ss_fail(err, SS_EUSAGE, "slo", "%s: \"%s\" wants p above 0 to 100, as p99",
			       term, percentile);
	slo->term_count++;
	return SS_OK;
}

enum ss_status ss_slo_parse(struct ss_slo *out, const char *text, struct ss_error *err)
{
	struct ss_slo slo = { 0 };

	while (*text) {
		size_t length = strcspn(text, ", ");
		char term[WORD_MAX];

		if (length >= sizeof(term))
			return ss_fail(err, SS_EUSAGE, "slo", "\"%.40s..\" is too long a term",
				       text);
		memcpy(term, text, length);
		term[length] = '\0';
		if (length && read_term(&slo, term, err))
			return SS_EUSAGE;
		text += length + (text[length] != '\0');
	}
	if (!slo.term_count)
		return ss_fail(err, SS_EUSAGE, "slo", "wants terms, as ttft=500ms,tpot=30ms");
	*out = slo;
	return SS_OK;
}

size_t ss_slo_format(const struct ss_slo *slo, char *out, size_t size)
{
	size_t length = 0;

	if (size)
		out[0] = '\0';
	for (size_t i = 0; i < slo->term_count; i++) {
		bool is_usual = slo->terms[i].percentile == USUAL_PERCENTILE;
		char percentile[24] = "";
		int n;

		if (!is_usual)
			(void)snprintf(percentile, sizeof(percentile), "@p%.6g",
				       slo->terms[i].percentile * 100);
		n = snprintf(length < size ? out + length : NULL, length < size ? size - length : 0,
			     "%s%s=%.10gms%s", i ? "," : "", ss_latency_name(slo->terms[i].latency),
			     slo->terms[i].limit_s * 1e3, percentile);
		length += n > 0 ? (size_t)n : 0;
	}
	return length;
}
