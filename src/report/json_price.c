#include "report/json_price.h"

#include <math.h>
#include <string.h>

#include "text/words.h"
#include "case/around.h"

cJSON *json_scenario(const struct findings *f)
{
	const struct ss_scenario *s = f->session->scenario;
	const struct ss_model *model = ss_basis_inputs(ss_kernel_basis(f->kernel))->model;
	cJSON *o = json_object();

	json_put_text(o, "name", session_text(s, 0, SS_F_NAME));
	json_put_text(o, "model", session_text(s, 0, SS_F_MODEL));
	json_put_text(o, "model_graph", model->name);
	json_put_text_or_null(o, "model_reason", model->reason);
	json_put_text(o, "part", session_text(s, 0, SS_F_HARDWARE));
	json_put_text(o, "engine", session_text(s, 0, SS_F_ENGINE));
	json_put_text(o, "engine_version", session_text(s, 0, SS_F_ENGINE_VERSION));
	return o;
}

/** The release asked for, the pack it is taken as, and how many releases lie between. */
cJSON *json_engine(const struct findings *f)
{
	const struct ss_scenario *s = f->session->scenario;
	const struct ss_pack *pack = ss_basis_inputs(ss_kernel_basis(f->kernel))->pack;
	const char *release = session_text(s, 0, SS_F_ENGINE_VERSION);
	cJSON *o = json_object();

	json_put_text(o, "name", session_text(s, 0, SS_F_ENGINE));
	json_put_text(o, "version", release);
	json_put_text(o, "taken_as", pack->version);
	json_put_count(o, "release_distance", ss_release_distance(release, pack->version));
	return o;
}

cJSON *json_warnings(const struct findings *f)
{
	const struct ss_problems *problems = &f->session->problems;
	cJSON *list = json_array();

	for (size_t i = 0; i < problems->count; i++)
		if (problems->items[i].severity == SS_WARNING)
			json_put_text(list, NULL, problems->items[i].message);
	return list;
}

cJSON *json_divergences(const struct findings *f)
{
	cJSON *list = json_array();

	for (size_t i = 0; i < f->effect_count; i++) {
		const struct ss_divergence_effect *effect = &f->effects[i];
		const struct ss_divergence *row = ss_divergence(effect->id);
		cJSON *o = json_object();

		json_put_text(o, "name", row->name);
		json_put_number(o, "seconds", effect->has_seconds ? effect->seconds : NAN);
		json_put_bool(o, "corrected", effect->is_corrected);
		json_put_text(o, "reason", ss_divergence_reason(row->id));
		json_put(list, NULL, o);
	}
	return list;
}

/** `serial_s`: a figure's key. */
static void figure_key(char *out, size_t size, enum ss_figure figure)
{
	(void)snprintf(out, size, "%s_s", ss_figure_name(figure));
}

static cJSON *resources_json(const double seconds[SS_RESOURCE_COUNT])
{
	cJSON *o = json_object();

	for (int r = 0; r < SS_RESOURCE_COUNT; r++)
		json_put_number(o, ss_resource_name((enum ss_resource)r), seconds[r]);
	return o;
}

static cJSON *around_json(const struct findings *f)
{
	struct around_row rows[AROUND_ROWS_MAX];
	size_t count = around_of(rows, f->kernel, f->session->scenario, findings_prompt(f));
	cJSON *list = json_array();

	for (size_t i = 0; i < count; i++) {
		cJSON *o = json_object();

		json_put_text(o, "name", rows[i].key);
		json_put_number(o, "seconds", rows[i].seconds);
		json_put_text(o, "note", rows[i].note);
		json_put(list, NULL, o);
	}
	return list;
}

/** Entries whose end of the band is a limit of nature, not their spread. */
static cJSON *band_limits_json(const struct findings *f)
{
	int entries[64];
	size_t count =
		ss_kernel_band_limits(f->kernel, &f->breakdown, &f->session->spread, entries, 64);
	cJSON *list = json_array();

	for (size_t i = 0; i < count && i < 64; i++)
		json_put(list, NULL,
			 cJSON_CreateString(ss_kernel_entry(f->kernel, (size_t)entries[i])->name));
	return list;
}

cJSON *json_price(const struct findings *f)
{
	const struct figures *g = &f->figures;
	cJSON *o, *band, *ttft;
	char key[32];

	if (!f->has_price)
		return cJSON_CreateNull();
	o = json_object();
	figure_key(key, sizeof(key), f->session->figure);
	json_put_text(o, "lead", key);
	json_put_bool(o, "fits", f->fit.fits);
	for (int i = SS_FIGURE_SERIAL; i < SS_FIGURE_COUNT; i++) {
		bool is_known = i != SS_FIGURE_KERNELS || g->step.has_kernels;

		figure_key(key, sizeof(key), (enum ss_figure)i);
		json_put_number(o, key,
				is_known ? ss_step_figure(&g->step, (enum ss_figure)i) : NAN);
	}
	band = json_array();
	json_put(band, NULL, json_number(f->band_s[0]));
	json_put(band, NULL, json_number(f->band_s[1]));
	json_put(o, "band_s", band);
	json_put(o, "band_limits", band_limits_json(f));
	json_put(o, "around", around_json(f));
	json_put_number(o, "itl_s", g->itl_s);
	json_put_text(o, "bottleneck",
		      ss_resource_name(ss_step_bottleneck(&g->step, f->session->figure)));
	json_put(o, "resources_s", resources_json(ss_step_resources(&g->step, f->session->figure)));
	json_put_count(o, "kernels", g->step.kernels);
	json_put_text(o, "graph", ss_graph_name(g->step.graph));
	json_put_number(o, "tokens_per_s", g->tokens_per_s);
	json_put_number(o, "tokens_per_s_per_gpu", g->tokens_per_s_per_gpu);
	json_put_number(o, "prefill_tokens_per_s", g->prefill_tokens_per_s);
	if (g->has_ttft) {
		ttft = json_object();
		json_put_count(ttft, "prompt_tokens", f->session->ttft_tokens);
		json_put_number(ttft, "seconds", g->ttft_s);
		json_put(o, "ttft", ttft);
	} else {
		json_put_null(o, "ttft");
	}
	json_put_number(o, "draft_s",
			ss_kernel_resolution(f->kernel)->spec_tokens ? g->step.draft_s : NAN);
	return o;
}

/* -- layers --------------------------------------------------------------------------- */

static void put_reads(cJSON *list, const struct ss_kernel *kernel, const int reads[SS_READS_MAX])
{
	for (size_t i = 0; i < SS_READS_MAX && reads[i] >= 0; i++) {
		const char *name = ss_kernel_entry(kernel, (size_t)reads[i])->name;
		cJSON *item;
		bool is_listed = false;

		cJSON_ArrayForEach(item, list) is_listed |= !strcmp(item->valuestring, name);
		if (!is_listed)
			json_put_text(list, NULL, name);
	}
}

static cJSON *term_json(const struct ss_kernel *kernel, const struct ss_term *term)
{
	cJSON *o = json_object();
	cJSON *reads = json_array();

	json_put_text(o, "name", ss_term_name(term->term));
	json_put_text(o, "resource", ss_resource_name(term->resource));
	json_put_number(o, "seconds", term->floor_s + term->slope_s);
	json_put_number(o, "flops", term->flops);
	json_put_number(o, "bytes", term->bytes);
	put_reads(reads, kernel, term->floor_reads);
	put_reads(reads, kernel, term->slope_reads);
	json_put(o, "reads", reads);
	return o;
}

static const struct ss_model *model_of(const struct findings *f)
{
	return ss_basis_inputs(ss_kernel_basis(f->kernel))->model;
}

static cJSON *layer_json(const struct findings *f, int kind, bool is_draft)
{
	const struct ss_model *model = model_of(f);
	double seconds[SS_RESOURCE_COUNT] = { 0 };
	cJSON *o, *terms = json_array();
	char name[160];
	size_t found = 0;

	for (size_t i = 0; i < f->breakdown.term_count; i++) {
		const struct ss_term *term = &f->breakdown.terms[i];

		if (term->kind != kind || term->is_draft != is_draft)
			continue;
		seconds[term->resource] += term->floor_s + term->slope_s;
		json_put(terms, NULL, term_json(f->kernel, term));
		found++;
	}
	if (!found) {
		cJSON_Delete(terms);
		return NULL;
	}
	o = json_object();
	(void)snprintf(name, sizeof(name), "%s%s", is_draft ? "draft " : "",
		       kind == -1   ? "head"
		       : kind == -2 ? "host"
				    : model->kinds[kind].id);
	json_put_text(o, "kind", name);
	json_put_count(o, "count",
		       kind < 0   ? 1
		       : is_draft ? model->kinds[kind].draft_count
				  : model->kinds[kind].count);
	for (int r = 0; r < SS_RESOURCE_COUNT; r++) {
		(void)snprintf(name, sizeof(name), "%s_s", ss_resource_name((enum ss_resource)r));
		json_put_number(o, name, seconds[r]);
	}
	json_put(o, "terms", terms);
	return o;
}

cJSON *json_layers(const struct findings *f)
{
	int kinds = (int)model_of(f)->kind_count;
	cJSON *list;

	if (!f->has_price)
		return cJSON_CreateNull();
	list = json_array();
	for (int draft = 0; draft < 2; draft++) {
		for (int kind = 0; kind < kinds + 2; kind++) {
			/* The layers, then the head (-1) and the host (-2). */
			int id = kind < kinds ? kind : kinds - kind - 1;
			cJSON *layer = layer_json(f, id, draft == 1);

			if (layer)
				json_put(list, NULL, layer);
		}
	}
	return list;
}

/* -- memory --------------------------------------------------------------------------- */

static cJSON *pool_json(const struct ss_kv_pool *pool)
{
	cJSON *o = json_object();

	json_put_count(o, "block_size", pool->block_size);
	json_put_count(o, "page_bytes", pool->page_bytes);
	json_put_count(o, "block_bytes", pool->block_bytes);
	json_put_count(o, "blocks", pool->blocks);
	json_put_number(o, "marginal_bytes_per_token", pool->marginal_bytes_per_token);
	json_put_count(o, "fixed_bytes_per_request", pool->fixed_bytes_per_request);
	/* At an unbounded length there is no longest request to count blocks for. */
	if (pool->blocks_per_request) {
		json_put_count(o, "blocks_per_request", pool->blocks_per_request);
		json_put_count(o, "reported_tokens", pool->reported_tokens);
		json_put_number(o, "max_concurrency", pool->max_concurrency);
	} else {
		json_put_null(o, "blocks_per_request");
		json_put_null(o, "reported_tokens");
		json_put_null(o, "max_concurrency");
	}
	return o;
}

/** Figures of the start, with the releases they are known of. */
static cJSON *release_terms_json(const struct ss_kernel *kernel)
{
	struct ss_release_use uses[SS_RELEASE_TERM_COUNT];
	size_t count = ss_kernel_release_terms(kernel, uses);
	cJSON *list = json_array();

	for (size_t i = 0; i < count; i++) {
		const struct ss_release_row *row = uses[i].row;
		cJSON *item = json_object();

		json_put_text(item, "name", ss_release_term_name(uses[i].term));
		json_put_number(item, "value", uses[i].value);
		json_put_bool(item, "read", uses[i].is_read);
		json_put_text_or_null(item, "as", row ? "" : SS_PRICED_RELEASE);
		json_put_text_or_null(item, "since", row ? row->since : "");
		json_put_text_or_null(item, "until", row ? row->until : "");
		json_put_text_or_null(item, "method", row ? ss_method_name(row->method) : "");
		json_put_text_or_null(item, "reason", row ? row->reason : "");
		json_put_text_or_null(item, "source", row ? row->source : "");
		json_put(list, NULL, item);
	}
	return list;
}

cJSON *json_memory(const struct findings *f)
{
	const struct ss_memory *m = ss_kernel_memory(f->kernel);
	cJSON *o = json_object();
	cJSON *corrections = json_array();

	json_put_count(o, "weights_bytes", m->weights_bytes);
	json_put_count(o, "scales_bytes", m->scales_bytes);
	json_put_count(o, "tables_bytes", m->tables_bytes);
	json_put_count(o, "redundant_bytes", m->redundant_bytes);
	json_put_count(o, "draft_bytes", m->draft_bytes);
	json_put_count(o, "activation_bytes", m->activation_bytes);
	json_put_count(o, "communicator_bytes", m->communicator_bytes);
	json_put_count(o, "workspace_bytes", m->workspace_bytes);
	json_put_count(o, "graphs_bytes", m->graphs_bytes);
	json_put_count(o, "total_bytes", m->total_bytes);
	json_put_count(o, "visible_bytes", m->visible_bytes);
	for (size_t i = 0; i < m->correction_count; i++) {
		cJSON *item = json_object();

		json_put_text(item, "name", ss_divergence(m->corrections[i].id)->name);
		json_put_count(item, "bytes", m->corrections[i].bytes);
		json_put(corrections, NULL, item);
	}
	json_put(o, "room_corrections", corrections);
	json_put_count(o, "captured_bytes", m->captured_bytes);
	json_put_bool(o, "graphs_inside_budget", m->are_graphs_inside);
	json_put(o, "release_terms", release_terms_json(f->kernel));
	json_put_count(o, "budget_bytes", m->budget_bytes);
	json_put_number(o, "kv_bytes_per_token", m->kv_bytes_per_token);
	json_put_count(o, "sequence_fixed_bytes", m->sequence_fixed_bytes);
	json_put(o, "pool", pool_json(ss_kernel_kv_pool(f->kernel)));
	return o;
}

static cJSON *verdict_line_json(const struct ss_fit *fit, enum ss_verdict_id id)
{
	cJSON *o = json_object();

	json_put_bool(o, "fits", fit->verdict.lines[id].holds);
	json_put_text_or_null(o, "why", fit->why[id]);
	return o;
}

cJSON *json_fit(const struct findings *f)
{
	cJSON *o = json_object();
	cJSON *fixes = json_array(), *limits = json_object();

	json_put_bool(o, "fits", f->fit.fits);
	for (int i = 0; i < SS_VERDICT_COUNT; i++) {
		enum ss_verdict_id id = (enum ss_verdict_id)i;

		json_put(ss_verdict_field(id) == SS_FIELD_COUNT ? o : limits, ss_verdict_name(id),
			 verdict_line_json(&f->fit, id));
	}
	json_put(o, "limits", limits);
	json_put_text_or_null(o, "reason", f->fit.reason);
	json_put_text_or_null(o, "term", f->fit.term);
	if (f->fit.fits)
		json_put_null(o, "short_bytes");
	else
		json_put_count(o, "short_bytes", f->fit.short_bytes);
	for (size_t i = 0; i < f->fit.fix_count; i++) {
		cJSON *fix = json_object();

		json_put_text(fix, "path", f->fit.fixes[i].path);
		json_put_text(fix, "value", f->fit.fixes[i].value);
		json_put_text(fix, "note", f->fit.fixes[i].note);
		json_put(fixes, NULL, fix);
	}
	json_put(o, "fixes", fixes);
	return o;
}
