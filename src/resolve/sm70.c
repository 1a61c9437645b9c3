/* What the reference of the SM70 build decides for a deployment. */
#include "resolve/sm70.h"
#include "resolve/formats.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "documents/nearest.h"
#include "price/integers.h"
#include "stepscope/sm70.h"

/** The first capability with BF16 tensor cores. */

/** Offer a setting with the refusal just made; the search keeps it only if it works. */
static void offer(struct ss_kernel *k, const char *path, const char *value, const char *note)
{
	bool is_of_pool = strncmp(path, "engine.", 7) == 0 && k->scenario->pool_count > 1;
	char whole[400];

	if (!k->problems || !k->problems->count)
		return;
	if (is_of_pool)
		(void)snprintf(whole, sizeof(whole), "pools[%zu].%s", k->pool_index, path);
	else
		(void)snprintf(whole, sizeof(whole), "%s", path);
	ss_problems_add_fix(k->problems, k->problems->count - 1, whole, value, note);
}

/* -- settings --------------------------------------------------------------------------- */

static void field_path(const struct ss_config_field *f, char *out, size_t size)
{
	(void)snprintf(out, size, "%s%s%s", *f->owner_path == '(' ? "" : f->owner_path,
		       *f->owner_path == '(' ? "" : ".", f->field);
}

/** The known path closest to one that is not known; "" when none is close. */
static void nearest_path(const struct ss_reference *r, const char *path, char *out, size_t size)
{
	unsigned best = edit_limit(path) + 1;
	char known[256];

	out[0] = '\0';
	for (size_t i = 0; i < r->field_count; i++) {
		unsigned distance;

		field_path(&r->fields[i], known, sizeof(known));
		distance = ss_edit_distance(path, known);
		if (distance < best) {
			best = distance;
			(void)snprintf(out, size, "%s", known);
		}
	}
}

/** The allowed word closest to a wrong value; "" when the field lists none. */
static void nearest_value(const struct ss_config_field *f, const char *value, char *out,
			  size_t size)
{
	unsigned best = ~0u;
	char word[64];

	out[0] = '\0';
	for (const char *at = f->allowed && strcmp(f->type, "enum") == 0 ? f->allowed : ""; *at;) {
		size_t n = strcspn(at, ";");
		size_t length = strcspn(at, "; =(");

		if (length > 0 && length < sizeof(word)) {
			(void)snprintf(word, sizeof(word), "%.*s", (int)length, at);
			if (ss_edit_distance(value, word) < best) {
				best = ss_edit_distance(value, word);
				(void)snprintf(out, size, "%s", word);
			}
		}
		at += n + (at[n] == ';');
	}
}

static void refuse_setting(struct ss_kernel *k, const char *path, const struct ss_config_field *f,
			   const char *value, const char *why)
{
	const struct ss_pack *pack = k->basis->in.pack;
	char near[256], whole[320];

	(void)snprintf(whole, sizeof(whole), "engine.sm70.%s", path);
	if (!f) {
		nearest_path(k->basis->in.reference, path, near, sizeof(near));
		refuse(k, "E14", SS_F_SM70, "%s: %s %s has no such setting%s%s%s", whole,
		       pack->name, pack->version, *near ? "; did you mean " : "", near,
		       *near ? "?" : "");
	} else {
		refuse(k, "E14", SS_F_SM70, "%s: %s", whole, why);
		nearest_value(f, value, near, sizeof(near));
		if (*near)
			offer(k, whole, near, "the nearest that it takes");
	}
	offer(k, whole, "", "leave it unstated");
}

static void check_settings(struct ss_kernel *k)
{
	const struct ss_reference *r = k->basis->in.reference;
	const struct ss_value *options = k->sm70.options;
	char path[256];

	for (size_t i = 0; i < options->count; i++) {
		const char *text = options->texts[i];
		size_t length = strcspn(text, "=");
		const char *value = text + length + (text[length] == '=');
		const struct ss_config_field *f;
		struct ss_error err = { 0 };

		(void)snprintf(path, sizeof(path), "%.*s", (int)least((int64_t)length, 255), text);
		f = ss_reference_field(r, path);
		if (!f || ss_config_field_check(f, value, &err))
			refuse_setting(k, path, f, value, err.message);
	}
}

/* -- weights and dtype ------------------------------------------------------------------- */

static void format_names(const struct ss_reference *r, char *out, size_t size)
{
	size_t used = 0;

	out[0] = '\0';
	for (size_t i = 0; i < r->format_count && used + 32 < size; i++)
		used += (size_t)snprintf(out + used, size - used, "%s%s", i ? ", " : "",
					 r->formats[i].name);
}

/** First weight whose stored format the build does not serve; "" when all are. */
static const char *unserved_format(const struct ss_kernel *k)
{
	const struct ss_model *model = k->basis->in.model;
	const struct ss_reference *r = k->basis->in.reference;

	for (size_t i = 0; i < model->kind_count; i++)
		for (size_t j = 0; model->kinds[i].count && j < model->kinds[i].node_count; j++) {
			const struct ss_node *n = &model->kinds[i].nodes[j];
			const char *name;

			if (n->op != SS_OP_GEMM && n->op != SS_OP_GROUPED_GEMM)
				continue;
			name = ss_dtype_name(stored_format(k, n, false));
			if (!ss_weight_format_find(r, name))
				return name;
		}
	return "";
}

static bool is_known_method(const struct ss_kernel *k, const char *method)
{
	const struct ss_pack *pack = k->basis->in.pack;

	for (size_t i = 0; i < pack->quantization_count; i++)
		if (strcmp(pack->quantizations[i].name, method) == 0)
			return true;
	return ss_weight_format_find(k->basis->in.reference, method) != NULL;
}

static void check_formats(struct ss_kernel *k)
{
	const struct ss_model *model = k->basis->in.model;
	const struct ss_reference *r = k->basis->in.reference;
	const char *format = unserved_format(k);
	char names[200];

	format_names(r, names, sizeof(names));
	if (*model->quantization && !is_known_method(k, model->quantization))
		refuse(k, "E14", SS_F_MODEL, "model %s is a %s checkpoint; %s %s serves %s",
		       model->name, model->quantization, r->name, r->version, names);
	else if (*format)
		refuse(k, "E14", SS_F_QUANTIZATION, "%s weights of model %s: %s %s serves %s",
		       format, model->name, r->name, r->version, names);
}

static void settle_dtype(struct ss_kernel *k)
{
	const struct ss_reference *r = k->basis->in.reference;
	struct ss_settings settings = sm70_settings(k);
	const char *stated =
		r->order.dtype_field ? ss_setting_text(r, &settings, r->order.dtype_field) : NULL;
	bool is_stated = stated && strcmp(stated, "auto") != 0;
	bool is_bf16 =
		is_stated ? strcmp(stated, "bfloat16") == 0 : model_is_bfloat16(k->basis->in.model);

	k->sm70.dtype = is_bf16 ? "bfloat16" : "float16";
	if (is_stated && strncmp(stated, "float", 5) == 0 && strcmp(stated, "float16") != 0)
		k->sm70.dtype = "float32";
	if (!is_bf16 || k->set.sm >= BF16_CAPABILITY)
		return;
	k->sm70.dtype = "float16";
	note_override(&k->notes, OVERRIDE_DTYPE, NOTE_TEXT("bfloat16"), NOTE_TEXT("float16"),
		      WHY_DEFAULT);
}

/* -- KV codec ------------------------------------------------------------------------------ */

static void settle_codec(struct ss_kernel *k)
{
	const char *dtype = k->set.cache_dtype;
	const struct ss_kv_codec *codec = ss_codec_resolve(k->basis->in.reference, dtype);

	k->sm70.codec = codec;
	/* without a width the dtype is refused already */
	if (!codec && k->set.cache_element_bytes > 0)
		refuse(k, "E8", SS_F_CACHE_DTYPE, "cache_dtype %s: no KV codec of the build has it",
		       dtype);
	if (codec && codec->is_quantized && strcmp(codec->canonical, dtype) != 0)
		note_assumption(&k->notes, ASSUME_KV_CODEC_ALIAS, NULL, NOTE_TEXT(codec->canonical),
				WHY_DEFAULT);
}

/* -- GDN prefill ---------------------------------------------------------------------------- */

static const struct ss_node *gdn_node(const struct ss_model *model)
{
	for (size_t i = 0; i < model->kind_count; i++)
		for (size_t j = 0; model->kinds[i].count && j < model->kinds[i].node_count; j++)
			if (model->kinds[i].nodes[j].op == SS_OP_RECURRENT &&
			    model->kinds[i].nodes[j].recurrent == SS_RECURRENT_GDN)
				return &model->kinds[i].nodes[j];
	return NULL;
}

static void settle_gdn(struct ss_kernel *k)
{
	const struct ss_reference *r = k->basis->in.reference;
	const struct ss_node *node = gdn_node(k->basis->in.model);
	const struct ss_value *nvcc = stated(k, SS_F_HOST_NVCC);
	struct ss_settings settings = sm70_settings(k);
	struct ss_gdn_choice *choice = &k->sm70.gdn;
	char capability[16];

	if (!node || !r->has_gdn)
		return;
	use_capability(k);
	(void)snprintf(capability, sizeof(capability), "sm%d", k->set.sm);
	ss_gdn_select(choice, r,
		      &(struct ss_gdn_request){
			      .compute_capability = capability,
			      .head_k = node->state_size,
			      .dtype = k->sm70.dtype,
			      .nvcc = !nvcc->is_stated ? SS_UNSTATED
				      : nvcc->integer  ? SS_YES
						       : SS_NO,
			      .settings = &settings,
		      });
	k->sm70.has_gdn = true;
	if (choice->assumes_nvcc)
		note_assumption(&k->notes, ASSUME_GDN_PREFILL_TOOLKIT, NULL, NOTE_TEXT("present"),
				WHY_DEFAULT);
	if (choice->is_override)
		note_override(&k->notes, OVERRIDE_GDN_PREFILL,
			      NOTE_TEXT("unstated (original by default)"), NOTE_TEXT(choice->inner),
			      WHY_DEFAULT);
	if (choice->warns_no_nvcc)
		warn(k, SS_F_HOST_NVCC,
		     "gdn prefill: %s asks for the original kernels and the host has no nvcc, so "
		     "the "
		     "first prefill would fail",
		     choice->source_name);
}

/* -- routes --------------------------------------------------------------------------------- */

/** Is this name the backend whose order was read, or one that a candidate asks for? */
static bool is_routed(const struct ss_route_order *order, const char *backend)
{
	if (!backend || (order->backend && strcmp(order->backend, backend) == 0))
		return true;
	for (size_t i = 0; i < order->walk_count; i++)
		for (size_t j = 0; j < order->walks[i].candidate_count; j++) {
			const struct ss_route_conditions *needs =
				&order->walks[i].candidates[j].needs;

			for (size_t c = 0; c < needs->count; c++)
				if (needs->items[c].text &&
				    strcmp(needs->items[c].text, backend) == 0)
					return true;
		}
	return false;
}

static void settle_backend(struct ss_kernel *k)
{
	const struct ss_reference *r = k->basis->in.reference;
	struct ss_settings settings = sm70_settings(k);

	k->sm70.backend = r->order.backend_field
				  ? ss_setting_text(r, &settings, r->order.backend_field)
				  : NULL;
	if (*k->set.attention_backend)
		k->sm70.backend = k->set.attention_backend;
	k->sm70.has_routes =
		r->has_order && k->basis->has_attention && is_routed(&r->order, k->sm70.backend);
	if (k->sm70.has_routes)
		note_assumption(&k->notes, ASSUME_NATIVE_ROUTE_ABI, NULL, NOTE_TEXT("available"),
				WHY_DEFAULT);
	else if (r->has_order && k->basis->has_attention)
		warn(k, SS_F_SM70, "%s %s: only the routes of %s were read, so none are shown",
		     r->order.backend_field, k->sm70.backend,
		     r->order.backend ? r->order.backend : "another backend");
}

void sm70_settle(struct ss_kernel *k)
{
	const struct ss_pack *pack = k->basis->in.pack;

	if (!k->basis->in.reference) {
		if (stated(k, SS_F_SM70)->is_stated)
			warn(k, SS_F_SM70, "engine.sm70 has no effect: %s %s is not the SM70 build",
			     pack->name, pack->version);
		return;
	}
	k->sm70.options = stated(k, SS_F_SM70);
	k->sm70.environment = stated(k, SS_F_HOST_ENV);
	check_settings(k);
	check_formats(k);
	settle_dtype(k);
	settle_codec(k);
	settle_gdn(k);
	settle_backend(k);
}

/** What a gate that acts stands on: the settings it names, left unstated. */
static void offer_unstated(struct ss_kernel *k, const struct ss_route_conditions *needs)
{
	char path[160];

	for (size_t i = 0; i < needs->count; i++) {
		const char *option = needs->items[i].text;

		if (!option || !ss_reference_field(k->basis->in.reference, option))
			continue;
		(void)snprintf(path, sizeof(path), "engine.sm70.%s", option);
		offer(k, path, "", "leave it unstated");
	}
}

/** Say why a request has no route, and what would give it one. */
static void refuse_request(struct ss_kernel *k, const struct sm70_shape *shape,
			   const struct ss_route_request *request)
{
	const struct ss_reference *r = k->basis->in.reference;
	struct ss_route_selection s;
	enum ss_field_id field = SS_F_CACHE_DTYPE;
	char path[160];

	if (!k->problems) {
		k->refusals++;
		return;
	}
	if (ss_route_select(&s, r, request, NULL)) {
		k->refusals++;
		return;
	}
	if (request->is_unserved)
		field = SS_F_MODEL;
	else if (s.result == SS_RESULT_RAISES)
		field = SS_F_SM70;
	refuse(k, "E14", field, "%s of layer %s (cache_dtype %s, head width %" PRId64 "): %s",
	       ss_route_stage_name(request->stage), shape->layer, k->set.cache_dtype,
	       request->head_dim, s.message);
	for (size_t i = 0; i < s.verdict_count; i++) {
		const struct ss_route_verdict *v = &s.verdicts[i];
		const struct ss_route_need *need = ss_route_flip(v);

		if (need && strchr(need->option, '.')) {
			(void)snprintf(path, sizeof(path), "engine.sm70.%s", need->option);
			offer(k, path, need->value, "");
		}
		if (v->outcome == SS_ROUTE_RAISES)
			offer_unstated(k, &v->candidate->needs);
	}
	if (s.result == SS_RESULT_RAISES) {
		(void)snprintf(path, sizeof(path), "cluster.host.env.%s", r->order.triton_option);
		offer(k, path, "1", "the Triton kernels instead");
	}
	ss_route_selection_release(&s);
}

static bool has_route(struct ss_kernel *k, const struct sm70_shape *shape,
		      const struct ss_route_request *request)
{
	if (ss_route_probe(k->basis->in.reference, request) == SS_RESULT_CHOSEN)
		return true;
	refuse_request(k, shape, request);
	return false;
}

/** Decode and prefill at the largest chunk must each have a route. */
static bool check_shape(struct ss_kernel *k, const struct sm70_shape *shape)
{
	struct ss_settings settings = sm70_settings(k);
	struct ss_route_request decode = sm70_request(k, shape->node, SS_STAGE_DECODE, &settings);
	struct ss_route_request prefill = sm70_request(k, shape->node, SS_STAGE_PREFILL, &settings);

	decode.kv_len = most(k->set.max_model_len, 1);
	if (!has_route(k, shape, &decode))
		return false;
	if (graph_mode_has_full_decode(k->set.graph_mode)) {
		decode.is_capturing = true;
		if (!has_route(k, shape, &decode))
			return false;
	}
	prefill.chunk = sm70_largest_chunk(k);
	if (!has_route(k, shape, &prefill))
		return false;
	sm70_add_prefix(k, &prefill);
	return has_route(k, shape, &prefill);
}

void sm70_check(struct ss_kernel *k)
{
	struct sm70_shape shapes[SM70_SHAPES_MAX];
	size_t count;

	if (!k->basis->in.reference)
		return;
	count = k->sm70.has_routes ? sm70_shapes(k, shapes) : 0;
	/* shapes alike fail alike: the first says it */
	for (size_t i = 0; i < count; i++)
		if (!check_shape(k, &shapes[i]))
			return;
}

bool sm70_keep(struct ss_kernel *k)
{
	if (!k->basis->in.reference)
		return true;
	if (ss_value_copy(&k->sm70.kept_options, k->sm70.options) ||
	    ss_value_copy(&k->sm70.kept_environment, k->sm70.environment))
		return false;
	k->sm70.options = &k->sm70.kept_options;
	k->sm70.environment = &k->sm70.kept_environment;
	if (*k->set.attention_backend)
		k->sm70.backend = k->set.attention_backend;
	else if (k->sm70.backend && k->basis->in.reference->order.backend_field) {
		struct ss_settings settings = sm70_settings(k);

		k->sm70.backend = ss_setting_text(k->basis->in.reference, &settings,
						  k->basis->in.reference->order.backend_field);
	}
	return true;
}

void sm70_release(struct ss_kernel *k)
{
	ss_value_release(&k->sm70.kept_options);
	ss_value_release(&k->sm70.kept_environment);
}
