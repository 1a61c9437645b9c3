/*
 * Batches as text. An item is COUNTx and one of
 *   CONTEXT              decode: one token on CONTEXT - 1 computed ones
 *   LENGTHp[+PREFIX]     prefill of LENGTH tokens, on PREFIX computed ones
 *   SCHEDULEDs[+COMPUTED]  the full form
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "documents/value_text.h"
#include "stepscope/scenario.h"

enum { GROUPS_MAX = 100000, ITEM_MAX = 120 };

#define TOKENS_MAX 1000000000
#define FORMS "32x4096 (decode), 1x8192p or 1x8192p+4096 (prefill), 8x2s+4094"

double ss_batch_tokens(const struct ss_group *groups, size_t count)
{
	double tokens = 0;

	for (size_t i = 0; i < count; i++)
		tokens += (double)groups[i].count *
			  ((double)groups[i].computed + (double)groups[i].scheduled);
	return tokens;
}

/* One figure that ends at one of `stops` (or the end); moves past it. */
static bool take_figure(const char **at, const char *stops, int64_t *out)
{
	char figure[40];
	size_t length = strcspn(*at, stops);

	if (!length || length >= sizeof(figure))
		return false;
	memcpy(figure, *at, length);
	figure[length] = '\0';
	*at += length;
	return parse_integer(figure, out) && *out >= 0 && *out <= TOKENS_MAX;
}

static bool parse_item(struct ss_group *g, const char *item)
{
	int64_t tokens, computed = 0;
	char form;

	if (!take_figure(&item, "xX", &g->count) || !*item)
		return false;
	item++;
	if (!take_figure(&item, "ps+", &tokens))
		return false;
	form = *item;
	if (form == '+')
		return false;
	if (form) {
		item++;
		if (*item == '+') {
			item++;
			if (!take_figure(&item, "+", &computed))
				return false;
		}
		if (*item)
			return false;
	}
	if (!form && tokens < 1)
		return false;
	g->scheduled = form ? tokens : 1;
	g->computed = form ? computed : tokens - 1;
	/* A prompt is what a decode step has behind it, or all that a prefill builds. */
	g->prompt_len = form == 's' ? 0 : form ? tokens + computed : tokens;
	return true;
}

enum ss_status ss_batch_parse(struct ss_group **out, size_t *count, const char *text,
			      struct ss_error *err)
{
	struct ss_group *groups = NULL;
	size_t used = 0, size = 1;
	enum ss_status rc = SS_OK;

	while (*text == ' ')
		text++;
	if (!*text)
		return ss_fail(err, SS_EUSAGE, "batch", "empty text, wants " FORMS " or empty");
	for (const char *c = text; *c; c++)
		size += *c == ',';
	if (size > GROUPS_MAX)
		return ss_fail(err, SS_EUSAGE, "batch", "more than %d groups", GROUPS_MAX);
	groups = calloc(size, sizeof(*groups));
	if (!groups)
		return ss_fail(err, SS_ENOMEM, "batch", "out of memory");
	if (strcmp(text, "empty") == 0)
		goto done;
	for (;;) {
		size_t length = strcspn(text, ",");
		char item[ITEM_MAX] = "";
		size_t start = 0, end = length;

		while (start < end && text[start] == ' ')
			start++;
		while (end > start && text[end - 1] == ' ')
			end--;
		if (end - start < sizeof(item))
			memcpy(item, text + start, end - start);
		if (!parse_item(&groups[used], item)) {
			rc = ss_fail(err, SS_EUSAGE, "batch",
				     "found \"%.*s\", wants " FORMS
				     ", each figure up to 1,000,000,000",
				     length > 60 ? 60 : (int)length, text);
			goto done;
		}
		used++;
		if (!text[length])
			break;
		text += length + 1;
	}
	if (ss_batch_tokens(groups, used) > SS_BATCH_TOKENS_MAX)
		rc = ss_fail(err, SS_EUSAGE, "batch",
			     "holds %.3g tokens, must hold %.0e at most: no machine has room for "
			     "more",
			     ss_batch_tokens(groups, used), SS_BATCH_TOKENS_MAX);
done:
	if (rc) {
		free(groups);
		return rc;
	}
	*out = groups;
	*count = used;
	return SS_OK;
}

static int format_group(char *out, size_t size, const struct ss_group *g)
{
	bool has_prompt = g->prompt_len > 0 && g->prompt_len == g->scheduled + g->computed;

	if (g->scheduled == 1 && has_prompt && g->computed > 0)
		return snprintf(out, size, "%" PRId64 "x%" PRId64, g->count, g->computed + 1);
	if (has_prompt && g->computed)
		return snprintf(out, size, "%" PRId64 "x%" PRId64 "p+%" PRId64, g->count,
				g->scheduled, g->computed);
	if (has_prompt)
		return snprintf(out, size, "%" PRId64 "x%" PRId64 "p", g->count, g->scheduled);
	return snprintf(out, size, "%" PRId64 "x%" PRId64 "s+%" PRId64, g->count, g->scheduled,
			g->computed);
}

size_t ss_batch_format(char *out, size_t size, const struct ss_group *groups, size_t count)
{
	size_t length = 0;

	if (size)
		out[0] = '\0';
	if (!count)
		return (size_t)snprintf(out, size, "empty");
	for (size_t i = 0; i < count; i++) {
		char item[ITEM_MAX];
		int n = format_group(item, sizeof(item), &groups[i]);
		size_t left = length < size ? size - length : 0;

		(void)snprintf(left ? out + length : NULL, left, "%s%s", i ? "," : "", item);
		length += (n > 0 ? (size_t)n : 0) + (i > 0);
	}
	return length;
}
