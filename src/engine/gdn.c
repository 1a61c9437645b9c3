/* Which GDN prefill runs: the backend, and the kernels inside it. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "engine/condition.h"
#include "stepscope/engine.h"

static void lower(char *out, size_t size, const char *text)
{
	size_t n = 0;

	for (; text[n] && n + 1 < size; n++)
		out[n] = (char)tolower((unsigned char)text[n]);
	out[n] = '\0';
}

/* The first of the backend fields that is stated, else the first default. */
static void read_request(struct ss_gdn_choice *out, const struct ss_reference *r,
			 const struct ss_settings *settings)
{
	const char *fallback = "auto";

	for (size_t i = 0; i < r->gdn.backend_fields.count; i++) {
		const char *path = r->gdn.backend_fields.items[i];
		const struct ss_config_field *field = ss_reference_field(r, path);
		const char *text = settings && settings->option
					   ? settings->option(settings->context, path)
					   : NULL;

		if (text) {
			lower(out->requested, sizeof(out->requested), text);
			return;
		}
		if (i == 0 && field && field->default_value)
			fallback = field->default_value;
	}
	lower(out->requested, sizeof(out->requested), fallback);
}

/* `sm70` and `7.0` are the same. */
static bool same_capability(const char *listed, const char *given)
{
	const char *digits = strncmp(given, "sm", 2) == 0 ? given + 2 : given;

	for (;;) {
		if (*listed == '.')
			listed++;
		if (*digits == '.')
			digits++;
		if (*listed != *digits)
			return false;
		if (!*listed)
			return true;
		listed++;
		digits++;
	}
}

static bool serves_capability(const struct ss_gdn_backend *b, const char *given)
{
	for (size_t i = 0; i < b->compute_capability.count; i++)
		if (given && same_capability(b->compute_capability.items[i], given))
			return true;
	return b->compute_capability.count == 0;
}

static bool serves_head(const struct ss_gdn_backend *b, int64_t head_k)
{
	for (size_t i = 0; i < b->head_k.count; i++)
		if (b->head_k.items[i] == head_k)
			return true;
	return b->head_k.count == 0;
}

static bool serves_dtype(const struct ss_gdn_backend *b, const char *dtype)
{
	if (dtype && strcmp(dtype, "half") == 0)
		dtype = "float16";
	return b->dtypes.count == 0 || (dtype && names_have(&b->dtypes, dtype));
}

/* Fills the reason when the backend cannot serve. */
static bool backend_serves(const struct ss_gdn_backend *b, const struct ss_gdn_request *q,
			   char *reason, size_t size)
{
	if (!serves_capability(b, q->compute_capability))
		snprintf(reason, size, "%s needs compute capability %s, the part has %s", b->name,
			 b->compute_capability.items[0],
			 q->compute_capability ? q->compute_capability : "none stated");
	else if (!serves_head(b, q->head_k))
		snprintf(reason, size, "%s needs head_k %lld, the model has %lld", b->name,
			 (long long)b->head_k.items[0], (long long)q->head_k);
	else if (!serves_dtype(b, q->dtype))
		snprintf(reason, size, "%s needs %s, the model runs %s", b->name,
			 b->dtypes.items[0], q->dtype ? q->dtype : "an unstated dtype");
	else
		return true;
	return false;
}

static bool is_false_text(const struct ss_gdn_rules *g, const char *text)
{
	char word[64];
	size_t length;

	while (isspace((unsigned char)*text))
		text++;
	lower(word, sizeof(word), text);
	length = strlen(word);
	while (length > 0 && isspace((unsigned char)word[length - 1]))
		word[--length] = '\0';
	return names_have(&g->false_texts, word);
}

/* 1 on, 0 off, -1 nothing set; tells where the answer stands. */
static int original_asked(struct ss_gdn_choice *out, const struct ss_reference *r,
			  const struct ss_settings *settings)
{
	const struct ss_gdn_rules *g = &r->gdn;
	int state = ss_setting_state(r, settings, g->typed_field);

	if (state >= 0) {
		out->source = SS_GDN_TYPED;
		out->source_name = g->typed_field;
		return state;
	}
	for (size_t i = 0; settings && settings->variable && i < g->variables.count; i++) {
		const char *text = settings->variable(settings->context, g->variables.items[i]);

		if (!text)
			continue;
		out->source = SS_GDN_VARIABLE;
		out->source_name = g->variables.items[i];
		return !is_false_text(g, text);
	}
	out->source = SS_GDN_DEFAULT;
	return -1;
}

static void choose_inner(struct ss_gdn_choice *out, const struct ss_reference *r,
			 const struct ss_gdn_request *q)
{
	const struct ss_gdn_rules *g = &r->gdn;
	int asked = original_asked(out, r, q->settings);
	bool is_on = asked < 0 ? g->default_on : asked == 1;

	out->is_override = asked < 0 && is_on && q->nvcc == SS_NO;
	if (out->is_override)
		is_on = false;
	out->inner = is_on ? g->name_on : g->name_off;
	out->assumes_nvcc = is_on && q->nvcc == SS_UNSTATED;
	out->warns_no_nvcc = is_on && q->nvcc == SS_NO;
	if (out->is_override)
		snprintf(out->reason, sizeof(out->reason),
			 "nothing asks for the %s kernels and the host has no nvcc: %s", g->name_on,
			 g->about_off);
	else if (out->warns_no_nvcc)
		snprintf(out->reason, sizeof(out->reason),
			 "%s asks for them, but the host has no nvcc: the first prefill would fail",
			 out->source_name);
	else
		snprintf(out->reason, sizeof(out->reason), "%s%s: %s",
			 out->source_name ? "set by " : "the default",
			 out->source_name ? out->source_name : "",
			 is_on ? g->about_on : g->about_off);
}

void ss_gdn_select(struct ss_gdn_choice *out, const struct ss_reference *reference,
		   const struct ss_gdn_request *request)
{
	const struct ss_gdn_rules *g = &reference->gdn;

	*out = (struct ss_gdn_choice){ .backend = g->fallback_backend };
	read_request(out, reference, request->settings);
	snprintf(out->reason, sizeof(out->reason), "%s was asked for", out->requested);
	for (size_t i = 0; i < g->backend_count; i++) {
		const struct ss_gdn_backend *b = &g->backends[i];

		if (!names_have(&b->asked_as, out->requested))
			continue;
		if (!backend_serves(b, request, out->reason, sizeof(out->reason)))
			continue;
		out->backend = b->name;
		if (g->original_backend && strcmp(b->name, g->original_backend) == 0)
			choose_inner(out, reference, request);
		return;
	}
	if (out->source == SS_GDN_NONE && g->fallback_backend &&
	    strcmp(out->requested, g->fallback_backend) != 0 &&
	    strstr(out->reason, " was asked for"))
		snprintf(out->reason, sizeof(out->reason), "%s does not serve this part",
			 out->requested);
}
