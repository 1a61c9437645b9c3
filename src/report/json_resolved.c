/* What would run and what it rests on: the parts of the contract about values. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report/json_price.h"

static cJSON *overrides_json(const struct ss_kernel *kernel)
{
	size_t count = ss_kernel_override_count(kernel);
	cJSON *list = json_array();

	for (size_t i = 0; i < count; i++) {
		const struct ss_override *override = ss_kernel_override(kernel, i);
		cJSON *o = json_object();

		json_put_text(o, "field", override->field);
		json_put_text(o, "requested", override->requested);
		json_put_text(o, "resolved", override->resolved);
		json_put_text(o, "reason", override->reason);
		json_put(list, NULL, o);
	}
	return list;
}

cJSON *json_resolved(const struct findings *f)
{
	const struct ss_resolution *r = ss_kernel_resolution(f->kernel);
	cJSON *o = json_object(), *sizes = json_array();

	json_put_count(o, "tensor_parallel", r->tensor_parallel);
	json_put_count(o, "data_parallel", r->data_parallel);
	json_put_count(o, "expert_parallel", r->expert_parallel);
	json_put_count(o, "decode_context_parallel", r->decode_context_parallel);
	json_put_count(o, "prefill_context_parallel", r->prefill_context_parallel);
	json_put_text_or_null(o, "allreduce_backend", r->allreduce_backend);
	json_put_bool(o, "async_scheduling", r->async_scheduling);
	json_put_bool(o, "cascade_attention", r->cascade_attention);
	json_put_bool(o, "sequence_parallel_moe", r->sequence_parallel_moe);
	json_put_text_or_null(o, "cudagraph_mode", r->cudagraph_mode);
	json_put_count(o, "max_cudagraph_capture_size", r->max_cudagraph_capture_size);
	for (size_t i = 0; i < r->capture_size_count; i++)
		json_put(sizes, NULL, json_number((double)r->capture_sizes[i]));
	json_put(o, "cudagraph_capture_sizes", sizes);
	json_put_count(o, "block_size", r->block_size);
	json_put_count(o, "max_num_batched_tokens", r->max_num_batched_tokens);
	json_put_count(o, "max_num_seqs", r->max_num_seqs);
	if (r->max_model_len)
		json_put_count(o, "max_model_len", r->max_model_len);
	else
		json_put_null(o, "max_model_len");
	json_put_text_or_null(o, "cache_layout", r->cache_layout);
	json_put_text_or_null(o, "attention_backend", r->attention_backend);
	json_put_text_or_null(o, "moe_backend", r->moe_backend);
	json_put_text_or_null(o, "linear_backend", r->linear_backend);
	json_put_bool(o, "fuse_allreduce_rms", r->fuse_allreduce_rms);
	json_put_bool(o, "fuse_act_quant", r->fuse_act_quant);
	json_put_text_or_null(o, "all2all_backend", r->all2all_backend);
	json_put_text_or_null(o, "mamba_cache_mode", r->mamba_cache_mode);
	json_put(o, "overrides", overrides_json(f->kernel));
	return o;
}

/** The value of an entry: a number, the text of a setting, null when absent. */
static void put_value(cJSON *o, const char *key, const struct ss_entry *entry)
{
	if (entry->has_value)
		json_put_number(o, key, entry->value);
	else
		json_put_text_or_null(o, key, entry->value_text);
}

static bool is_moving(const struct findings *f, size_t index)
{
	return f->has_price && f->influences[index].is_value;
}

cJSON *json_entry(const struct findings *f, size_t index)
{
	const struct ss_entry *entry = ss_kernel_entry(f->kernel, index);
	const struct ss_coefficient *c = entry->coefficient;
	/* a value tried has the units of its entry, and nothing that was said of its value */
	const struct ss_coefficient *said = entry->is_whatif ? NULL : c;
	const struct ss_influence *influence = &f->influences[index];
	cJSON *o = json_object();
	cJSON *list;

	json_put_text(o, "name", entry->name);
	json_put_text(o, "set", entry->set);
	json_put_text(o, "method", ss_method_name(entry->method));
	json_put_text(o, "scope", entry->scope);
	put_value(o, "value", entry);
	json_put_number(o, "original", entry->is_whatif ? entry->original : NAN);
	json_put_text_or_null(o, "units", c ? ss_unit_name(c->units) : "");
	if (said)
		json_put_bool(o, "fitted", said->is_fitted);
	else
		json_put_null(o, "fitted");
	json_put_bool(o, "read", influence->is_read);
	json_put_number(o, "elasticity", is_moving(f, index) ? influence->elasticity : NAN);
	if (said && said->has_ci95) {
		list = json_array();
		json_put(list, NULL, json_number(said->ci95[0]));
		json_put(list, NULL, json_number(said->ci95[1]));
		json_put(o, "ci95", list);
	} else {
		json_put_null(o, "ci95");
	}
	list = json_array();
	for (size_t i = 0; said && i < said->source_count; i++) {
		cJSON *source = json_object();

		json_put_text(source, "kind", c->sources[i].kind);
		json_put_text(source, "cite", c->sources[i].cite);
		json_put_text(source, "role", c->sources[i].role);
		json_put(list, NULL, source);
	}
	json_put(o, "sources", list);
	json_put_text_or_null(o, "rationale", c ? c->rationale : "");
	json_put_text_or_null(o, "laws", entry->law);
	json_put_bool(o, "shadowed", entry->is_shadowed);
	return o;
}

cJSON *json_provenance(const struct findings *f)
{
	size_t count = ss_kernel_entry_count(f->kernel);
	cJSON *list = json_array();

	for (size_t i = 0; i < count; i++)
		if (ss_kernel_entry_counts(f->kernel, f->session->figure, i))
			json_put(list, NULL, json_entry(f, i));
	return list;
}

static cJSON *points_json(const struct ss_walk_page *page)
{
	cJSON *list = json_array();

	for (size_t i = 0; i < page->point_count; i++) {
		cJSON *point = json_object();

		json_put_number(point, "value", page->points[i].value);
		json_put_number(point, "seconds", page->points[i].figure_s);
		json_put_count(point, "room_bytes", page->points[i].room_bytes);
		json_put(list, NULL, point);
	}
	return list;
}

/** All that the walk's page of an entry says. */
static cJSON *walk_entry_json(const struct findings *f, int index)
{
	const struct ss_entry *entry = ss_kernel_entry(f->kernel, (size_t)index);
	const struct ss_influence *influence = &f->influences[index];
	struct ss_batch batch = session_batch(f->session);
	bool has_points;
	struct ss_walk_page page;
	char law[512], instead[512];
	cJSON *o = json_object();

	if (ss_kernel_walk_page(f->kernel, &batch, f->session->figure, index, &page))
		out_of_memory();
	has_points = page.point_count > 0;
	(void)ss_kernel_entry_law(f->kernel, &batch, &f->breakdown, index, law, sizeof(law));
	(void)ss_kernel_entry_instead(f->kernel, index, instead, sizeof(instead));
	json_put_text(o, "name", entry->name);
	json_put_text(o, "set", entry->set);
	json_put_text_or_null(o, "scope", entry->is_own ? "" : entry->scope);
	put_value(o, "value", entry);
	json_put_text_or_null(o, "units", entry->coefficient ? ss_unit_name(entry->coefficient->units) : "");
	json_put_text_or_null(o, "law", law);
	json_put_number(o, "elasticity", is_moving(f, (size_t)index) ? influence->elasticity : NAN);
	json_put_number(o, "room_elasticity", has_points ? influence->room_elasticity : NAN);
	json_put_number(o, "moves_s", has_points && influence->is_read ? page.moves_s : NAN);
	json_put_number(o, "share", has_points && influence->is_read ? page.share : NAN);
	json_put(o, "points", points_json(&page));
	json_put_text_or_null(o, "why", ss_kernel_entry_why(f->kernel, index));
	json_put_text_or_null(o, "instead", instead);
	json_put_text_or_null(o, "setting", ss_kernel_entry_setting(f->kernel, index));
	return o;
}

cJSON *json_walk(const struct findings *f)
{
	size_t count;
	struct ss_walk_item *order = findings_walk(f, &count);
	cJSON *list = json_array();

	for (size_t i = 0; i < count; i++)
		json_put(list, NULL, walk_entry_json(f, order[i].entry));
	free(order);
	return list;
}

static cJSON *assumed_json(const struct findings *f)
{
	size_t count;
	struct ss_walk_item *order = findings_walk(f, &count);
	cJSON *list = json_array();

	for (size_t i = 0; i < count; i++) {
		size_t index = (size_t)order[i].entry;
		const struct ss_entry *entry = ss_kernel_entry(f->kernel, index);
		cJSON *o = json_object();

		json_put_text(o, "name", entry->name);
		json_put_text(o, "set", entry->set);
		put_value(o, "value", entry);
		json_put_number(o, "elasticity",
				is_moving(f, index) ? f->influences[index].elasticity : NAN);
		json_put(list, NULL, o);
	}
	free(order);
	return list;
}

cJSON *json_evidence(const struct findings *f)
{
	cJSON *o = json_object();
	cJSON *methods = json_object();
	cJSON *share = json_object();

	json_put_count(o, "evidenced", (int64_t)f->evidence.evidenced);
	json_put_count(o, "total", (int64_t)f->evidence.total);
	json_put(o, "assumed", assumed_json(f));
	for (int m = 0; m < SS_METHOD_COUNT; m++) {
		const char *name = ss_method_name((enum ss_method)m);

		json_put_count(methods, name, (int64_t)f->evidence.by_method[m]);
		json_put_number(share, name, f->has_price ? f->share.by_method[m] : NAN);
	}
	json_put(o, "by_method", methods);
	json_put(o, "price_share", share);
	return o;
}
