#include "engine/condition.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "stepscope/engine.h"

/* clang-format off */
static const char *const stage_names[SS_STAGE_COUNT] = {
	[SS_STAGE_DECODE] = "decode",     [SS_STAGE_MIXED_DECODE] = "mixed_decode",
	[SS_STAGE_VERIFY] = "verify",     [SS_STAGE_PREFILL] = "prefill",
	[SS_STAGE_METADATA] = "metadata", [SS_STAGE_ANY] = "any",
};
/* clang-format on */

const char *ss_route_stage_name(enum ss_route_stage stage)
{
	return stage_names[stage];
}

bool ss_route_stage_find(const char *name, enum ss_route_stage *out)
{
	for (int i = 0; i < SS_STAGE_COUNT; i++) {
		if (strcmp(stage_names[i], name) == 0) {
			*out = (enum ss_route_stage)i;
			return true;
		}
	}
	return false;
}

static void list_text(const struct ss_numbers *numbers, char *out, size_t size)
{
	size_t used = 0;

	out[0] = '\0';
	for (size_t i = 0; i < numbers->count && used < size; i++) {
		int n = snprintf(out + used, size - used, "%s%" PRId64, i ? " or " : "",
				 numbers->items[i]);

		used += n > 0 ? (size_t)n : 0;
	}
}

static const char *refuse_list(const char *reason, int64_t value, const struct ss_numbers *numbers,
			       const char *label, char *detail, size_t size)
{
	char wanted[128];

	for (size_t i = 0; i < numbers->count; i++)
		if (numbers->items[i] == value)
			return NULL;
	if (numbers->count == 0)
		return NULL;
	list_text(numbers, wanted, sizeof(wanted));
	if (size)
		snprintf(detail, size, "%s %" PRId64 ", needs %s", label, value, wanted);
	return reason;
}

static const char *admit_codec(const struct ss_attention_route *route,
			       const struct ss_kv_codec *codec, char *detail, size_t size)
{
	char wanted[128] = "";
	size_t used = 0;

	if (codec && names_have(&route->codecs, codec->symbol))
		return NULL;
	for (size_t i = 0; i < route->codecs.count && used < sizeof(wanted); i++) {
		int n = snprintf(wanted + used, sizeof(wanted) - used, "%s%s", i ? " or " : "",
				 route->codecs.items[i]);

		used += n > 0 ? (size_t)n : 0;
	}
	if (size)
		snprintf(detail, size, "codec %s, needs %s", codec ? codec->symbol : "none",
			 wanted);
	return "codec";
}

static const char *admit_page(const struct ss_attention_route *route, int64_t page, char *detail,
			      size_t size)
{
	if (route->page_alignment > 1 && (page <= 0 || page % route->page_alignment)) {
		if (size)
			snprintf(detail, size, "page %" PRId64 ", needs a multiple of %" PRId64,
				 page, route->page_alignment);
		return "page_alignment";
	}
	return refuse_list("page_size", page, &route->page_sizes, "page", detail, size);
}

static const char *admit_chunk(const struct ss_attention_route *route, int64_t chunk, char *detail,
			       size_t size)
{
	if (chunk < route->min_chunk) {
		if (size)
			snprintf(detail, size, "chunk %" PRId64 ", needs at least %" PRId64, chunk,
				 route->min_chunk);
		return "min_chunk";
	}
	if (route->max_chunk >= 0 && chunk > route->max_chunk) {
		if (size)
			snprintf(detail, size, "chunk %" PRId64 ", needs at most %" PRId64, chunk,
				 route->max_chunk);
		return "max_chunk";
	}
	if (route->chunk_alignment > 1 && chunk % route->chunk_alignment) {
		if (size)
			snprintf(detail, size, "chunk %" PRId64 ", needs a multiple of %" PRId64,
				 chunk, route->chunk_alignment);
		return "chunk_alignment";
	}
	return refuse_list("chunk_size", chunk, &route->chunk_sizes, "chunk", detail, size);
}

static const char *admit_policy(const struct facts *facts, const struct ss_attention_route *route,
				char *detail, size_t size)
{
	const struct ss_route_request *r = &facts->request;

	if (route->stage != SS_STAGE_ANY && route->stage != r->stage) {
		if (size)
			snprintf(detail, size, "stage %s, serves %s", ss_route_stage_name(r->stage),
				 ss_route_stage_name(route->stage));
		return "stage";
	}
	if (names_have(&r->disabled, route->name)) {
		if (size)
			snprintf(detail, size, "switched off by policy");
		return "disabled";
	}
	if (names_have(&r->unavailable, route->name)) {
		if (size)
			snprintf(detail, size, "its native op is missing");
		return "unavailable";
	}
	return NULL;
}

static const char *admit_xqa(const struct facts *facts, char *detail, size_t size)
{
	size_t alternative = 0;
	const struct ss_xqa_rule *rule = xqa_refusal(facts, &alternative);
	const struct ss_route_conditions *when;
	size_t used = 0;

	if (!rule)
		return NULL;
	when = &rule->alternatives[alternative];
	if (size)
		detail[0] = '\0';
	for (size_t i = 0; i < when->count && used < size; i++) {
		char text[160];
		int n;

		ss_route_condition_text(&when->items[i], text, sizeof(text));
		n = snprintf(detail + used, size - used, "%s%s", i ? ", " : "xqa refuses ", text);
		used += n > 0 ? (size_t)n : 0;
	}
	return rule->reason;
}

const char *admit(const struct facts *facts, const struct ss_attention_route *route, char *detail,
		  size_t size)
{
	const struct ss_route_request *r = &facts->request;
	const char *reason = admit_policy(facts, route, detail, size);

	if (!reason)
		reason = admit_codec(route, r->codec, detail, size);
	if (!reason)
		reason = refuse_list("head_dim", r->head_dim, &route->head_dims, "head_dim", detail,
				     size);
	if (!reason)
		reason = refuse_list("gqa", facts->values[SUBJECT_GQA], &route->gqa_ratios, "gqa",
				     detail, size);
	if (!reason)
		reason = admit_page(route, r->page_size, detail, size);
	if (!reason)
		reason = admit_chunk(route, r->chunk, detail, size);
	if (!reason && route->is_xqa)
		reason = admit_xqa(facts, detail, size);
	return reason;
}

const char *ss_route_admit(const struct ss_reference *reference,
			   const struct ss_attention_route *route,
			   const struct ss_route_request *request, char *detail, size_t size)
{
	struct facts facts;

	facts_fill(&facts, reference, request);
	return admit(&facts, route, detail, size);
}
