#include "case/session.h"
#include "case/other_part.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "case/opening.h"
#include "text/xbuf.h"
#include "text/words.h"
#include "stepscope/load.h"
#include "stepscope/nearest.h"

struct session_request session_request(void)
{
	struct session_request request = { .figure = SS_FIGURE_LEAD };

	ss_spread_default(&request.spread);
	return request;
}

const char *session_text(const struct ss_scenario *scenario, size_t pool, enum ss_field_id id)
{
	const struct ss_value *value = ss_scenario_value(scenario, pool, id);

	return value->is_stated && value->text ? value->text : "";
}

bool session_field_is_of_basis(enum ss_field_id id)
{
	static const enum ss_field_id of_basis[] = {
		SS_F_MODEL,    SS_F_ENGINE, SS_F_ENGINE_VERSION, SS_F_COEFFICIENTS,
		SS_F_HARDWARE, SS_F_FABRIC, SS_F_STORAGE,
	};

	for (size_t i = 0; i < sizeof(of_basis) / sizeof(of_basis[0]); i++)
		if (of_basis[i] == id)
			return true;
	return false;
}

struct ss_batch session_batch(const struct session *session)
{
	return (struct ss_batch){ session->groups, session->group_count, session->decode_threshold,
				  session->sm_budget };
}

enum ss_status session_open_registry(struct session *out, const struct session_request *request,
				     struct ss_error *err)
{
	const char *registry = request->registry;
	enum ss_status rc;
	struct stat info;

	if (registry && (stat(registry, &info) || !S_ISDIR(info.st_mode)))
		return ss_fail(err, SS_EUSAGE, "--registry", "%s is not a folder", registry);
	roots_find(&out->roots, registry);
	rc = ss_registry_new(&out->registry, (const char *const *)out->roots.items,
			     out->roots.count, err);
	if (!rc)
		ss_registry_set_model_source(out->registry, request->model_source);
	return rc;
}

/** All of standard input, at most 64 MiB and a byte. */
static enum ss_status read_input(struct xbuf *out, struct ss_problems *problems)
{
	size_t got;

	do {
		got = fread(xbuf_reserve(out, 65536), 1, 65536, stdin);
		out->len += got;
	} while (got && out->len <= (size_t)64 << 20);
	if (ferror(stdin)) {
		(void)ss_problems_add(problems, SS_ERROR, "io", "-", "",
				      "standard input cannot be read");
		return SS_EIO;
	}
	return SS_OK;
}

static void say_no_scenario(struct session *session, const char *name)
{
	struct xbuf known = { 0 };
	struct stat info;
	char **names;
	const char *nearest;
	size_t count;

	if (!stat(name, &info)) {
		(void)ss_problems_add(&session->problems, SS_ERROR, "type", name, "",
				      S_ISDIR(info.st_mode) ? "is a folder, wants a scenario file"
							    : "is no plain file");
		return;
	}
	if (!session->roots.count) {
		(void)ss_problems_add(&session->problems, SS_ERROR, "missing", name, "",
				      "no file of that name, and no registry to look in: state "
				      "one with --registry DIR, or install");
		return;
	}
	roots_scenarios(&session->roots, &names, &count);
	nearest = ss_closest_word(name, (const char *const *)names, count);
	for (size_t i = 0; i < count; i++)
		xbuf_printf(&known, "%s%s", i ? ", " : "", names[i]);
	(void)ss_problems_add(&session->problems, SS_ERROR, "missing", name, "",
			      "no file and no scenario of that name%s%s%s; there are: %s",
			      nearest ? " (did you mean " : "", nearest ? nearest : "",
			      nearest ? "?)" : "", count ? xbuf_text(&known) : "none");
	names_free(names, count);
	xbuf_release(&known);
}

static enum ss_status load_scenario(struct session *session, const struct session_request *request,
				    struct ss_error *err)
{
	const char *name = request->scenario ? request->scenario : SESSION_DEFAULT_SCENARIO;
	char *path;

	if (request->adhoc.model || request->adhoc.part)
		return adhoc_scenario(&session->scenario, session->registry, &request->adhoc,
				      &session->problems, err);
	if (!strcmp(name, "-")) {
		struct xbuf text = { 0 };
		enum ss_status rc = read_input(&text, &session->problems);

		if (!rc)
			session->scenario = ss_scenario_parse(xbuf_text(&text), text.len, "-",
							      &session->problems);
		xbuf_release(&text);
		if (rc)
			return rc;
	} else {
		path = roots_scenario(&session->roots, name);
		if (!path) {
			say_no_scenario(session, name);
			return SS_EDOCUMENT;
		}
		session->scenario = ss_scenario_load(path, &session->problems);
		free(path);
	}
	return session->scenario ? SS_OK : SS_EDOCUMENT;
}

enum ss_status session_find_pool(const struct ss_scenario *scenario, const char *text, size_t *out,
				 struct ss_error *err)
{
	struct xbuf known = { 0 };
	size_t matches = 0;
	int64_t index;
	enum ss_status rc;

	if (read_count(text, INT64_MAX, &index) && (uint64_t)index < scenario->pool_count) {
		*out = (size_t)index;
		return SS_OK;
	}
	for (size_t i = 0; i < scenario->pool_count; i++) {
		const char *role = session_text(scenario, i, SS_F_ROLE);

		if (!strcmp(role, text)) {
			matches++;
			*out = i;
		}
		xbuf_printf(&known, "%s%zu (%s)", i ? ", " : "", i, role);
	}
	rc = matches == 1 ? SS_OK
			  : ss_fail(err, SS_EUSAGE, "--pool", "no pool %s; there are: %s", text,
				    xbuf_text(&known));
	xbuf_release(&known);
	return rc;
}

/** One decode request at the mean length of a shape: its prompt and half its output. */
static enum ss_status batch_of_shape(struct session *session, const char *name)
{
	const struct ss_workload_shape *shape =
		ss_registry_workload(session->registry, name, &session->problems);
	int64_t length, prompt, output;

	if (!shape)
		return SS_EDOCUMENT;
	ss_workload_shape_means(shape, &prompt, &output);
	length = prompt + output / 2;
	session->workload_groups = xcalloc(1, sizeof(*session->workload_groups));
	session->workload_groups[0] =
		(struct ss_group){ 1, 1, length > 1 ? length - 1 : 0, prompt };
	session->group_count = 1;
	return SS_OK;
}

/** Context of the batch opened with when nothing states one. */
#define OPENING_CONTEXT 4096

/* What the workload says, whichever pool it is for. */
static enum ss_status read_workload(struct session *session)
{
	const struct ss_workload *workload = &session->scenario->workload;
	struct ss_group *groups = NULL;

	if (workload->shape)
		return batch_of_shape(session, workload->shape);
	session->group_count = workload->has_batch ? workload->group_count : 1;
	groups = xcalloc(session->group_count + 1, sizeof(*groups));
	if (!workload->has_batch)
		groups[0] = (struct ss_group){ 1, 1, OPENING_CONTEXT - 1, OPENING_CONTEXT };
	else if (workload->group_count)
		memcpy(groups, workload->groups, workload->group_count * sizeof(*groups));
	session->workload_groups = groups;
	return SS_OK;
}

enum ss_status session_opening_batch(struct session *session)
{
	enum ss_status rc = SS_OK;

	free(session->groups);
	free(session->workload_groups);
	session->groups = session->workload_groups = NULL;
	session->group_count = 0;
	if (!session->decode_threshold)
		session->decode_threshold = session->scenario->workload.decode_threshold;
	rc = read_workload(session);
	if (rc)
		return rc;
	session->groups =
		opening_groups(session->scenario, session->pool, session->decode_threshold,
			       session->workload_groups, session->group_count);
	return SS_OK;
}

void session_keep_batch(struct session *session, const struct session_request *request)
{
	struct ss_workload *workload = &session->scenario->workload;

	if (!request->batch && !request->decode_threshold)
		return;
	free(workload->groups);
	free(workload->shape);
	workload->shape = NULL;
	/* A threshold alone changes nothing of what the pools make of the workload. */
	workload->groups = request->batch ? session->groups : session->workload_groups;
	workload->group_count = session->group_count;
	workload->has_batch = true;
	workload->decode_threshold = session->decode_threshold;
	free(request->batch ? session->workload_groups : session->groups);
	session->groups = session->workload_groups = NULL;
	session->group_count = 0;
}

static enum ss_status load_batch(struct session *session, const struct session_request *request,
				 struct ss_error *err)
{
	enum ss_status rc;

	session->decode_threshold = request->decode_threshold
					    ? request->decode_threshold
					    : session->scenario->workload.decode_threshold;
	if (request->batch) {
		rc = ss_batch_parse(&session->groups, &session->group_count, request->batch, err);
	} else {
		rc = session_opening_batch(session);
	}
	session->sm_budget = request->sm_budget;
	return rc;
}

/** The name of the sets' entries that is nearest to a word; NULL when none is close. */
static const char *nearest_coefficient(const struct session *session, const char *word)
{
	const struct ss_value *names =
		ss_scenario_value(session->scenario, session->pool, SS_F_COEFFICIENTS);
	const char *best = NULL;

	for (size_t i = 0; i < names->count; i++) {
		const struct ss_coefficient_set *set =
			ss_registry_coefficients(session->registry, names->texts[i], NULL);
		const char **list = xcalloc(set ? set->count : 0, sizeof(*list));
		const char *found;

		for (size_t k = 0; set && k < set->count; k++)
			list[k] = set->entries[k].name;
		found = ss_closest_word(word, list, set ? set->count : 0);
		if (found &&
		    (!best || ss_edit_distance(word, found) < ss_edit_distance(word, best)))
			best = found;
		free(list);
	}
	return best;
}

static bool is_asked_for(const struct session_request *request, const char *message)
{
	for (size_t i = 0; i < request->whatif_count; i++)
		if (strstr(message, request->whatifs[i].name))
			return true;
	return false;
}

/** A value tried that the basis would not take: its first problem, and the nearest name. */
static enum ss_status bad_whatif(const struct session *session,
				 const struct session_request *request, struct ss_error *err)
{
	const char *message = session->problems.count ? session->problems.items[0].message
						      : "a value tried is not taken";
	const char *nearest = NULL;

	/* Where the file tries it, the file is wrong. */
	if (session->problems.count && !is_asked_for(request, message))
		return SS_EDOCUMENT;
	for (size_t i = 0; i < session->whatif_count && !nearest; i++)
		if (strstr(message, session->whatifs[i].name))
			nearest = nearest_coefficient(session, session->whatifs[i].name);
	/* a name that is there is not misspelt: its value is wrong */
	if (nearest && strstr(message, nearest))
		nearest = NULL;
	return ss_fail(err, SS_EUSAGE, "coef", "%s%s%s%s", message,
		       nearest ? "; did you mean " : "", nearest ? nearest : "",
		       nearest ? "?" : "");
}

enum ss_status session_resolve(struct session *session, bool is_basis_stale)
{
	enum ss_status rc;

	ss_kernel_free(session->kernel);
	session->kernel = NULL;
	if (is_basis_stale) {
		ss_basis_free(session->basis);
		session->basis = NULL;
	}
	ss_problems_release(&session->problems);
	if (!session->basis) {
		rc = ss_basis_open(&session->basis, session->registry, session->scenario,
				   session->whatifs, session->whatif_count, &session->problems);
		if (rc)
			return rc;
	}
	rc = ss_kernel_new(&session->kernel, session->basis, session->scenario, session->pool,
			   session->corrections, &session->problems);
	if (rc == SS_EREFUSED)
		other_part_offer(&session->problems, session->registry, session->scenario,
				 session->pool, session->corrections);
	if (!rc && session->asked_figure == SS_FIGURE_KERNELS &&
	    !ss_kernel_has_kernels(session->kernel)) {
		(void)ss_problems_add(&session->problems, SS_REFUSAL, "figure", "", "",
				      "figure kernels: the registry has no kernel times of %s; "
				      "serial leads there",
				      ss_basis_inputs(session->basis)->part->name);
		return SS_EREFUSED;
	}
	if (!rc) {
		struct ss_batch batch = session_batch(session);

		session->figure = ss_kernel_lead(session->kernel, session->asked_figure);
		ss_kernel_check_batch(session->kernel, &batch, &session->problems);
		if (ss_problems_count(&session->problems, SS_REFUSAL) &&
		    ss_kernel_has_price(session->kernel))
			rc = SS_EREFUSED;
	}
	return rc;
}

static void take_request(struct session *session, const struct session_request *request)
{
	session->figure = session->asked_figure = request->figure;
	session->acceptance = request->acceptance;
	session->ttft_tokens = request->ttft_tokens;
	session->spread = request->spread;
}

/* What is tried and corrected: what the file states, then what is asked for. */
static void take_trials(struct session *session, const struct session_request *request)
{
	struct ss_scenario *s = session->scenario;

	for (size_t i = 0; i < request->whatif_count; i++) {
		const struct ss_whatif *tried = &request->whatifs[i];

		if (ss_scenario_set_what_if(s, tried->name,
					    isnan(tried->value) ? NULL : &tried->value))
			out_of_memory();
	}
	session->corrections = (ss_scenario_corrections(s) & ~request->corrections_dropped) |
			       request->corrections_added;
	ss_scenario_set_corrections(s, session->corrections);
	session->whatifs = s->what_if;
	session->whatif_count = s->what_if_count;
}

static enum ss_status take_setting(struct session *session, const struct setting *setting,
				   struct ss_error *err)
{
	if (!strcmp(setting->path, SESSION_LOAD) || !strcmp(setting->path, "workload.load"))
		return ss_load_set(session->scenario, session->registry, setting->text, err);
	return ss_scenario_set(session->scenario, session->pool, setting->path, setting->text, err);
}

enum ss_status session_open(struct session *out, const struct session_request *request,
			    struct ss_error *err)
{
	enum ss_status rc;

	*out = (struct session){ 0 };
	take_request(out, request);
	rc = session_open_registry(out, request, err);
	if (!rc)
		rc = load_scenario(out, request, err);
	if (!rc && request->part)
		rc = adhoc_move(out->scenario, out->registry, request->part, &out->problems, err);
	if (!rc)
		rc = ss_scenario_clone(&out->loaded, out->scenario);
	if (!rc)
		take_trials(out, request);
	if (!rc && request->pool)
		rc = session_find_pool(out->scenario, request->pool, &out->pool, err);
	for (size_t i = 0; !rc && i < request->setting_count; i++)
		rc = take_setting(out, &request->settings[i], err);
	if (!rc)
		rc = load_batch(out, request, err);
	if (!rc && !request->skips_resolution) {
		rc = session_resolve(out, true);
		if (rc == SS_EUSAGE)
			rc = bad_whatif(out, request, err);
	}
	return rc;
}

void session_release(struct session *session)
{
	ss_kernel_free(session->kernel);
	ss_basis_free(session->basis);
	ss_scenario_free(session->scenario);
	ss_scenario_free(session->loaded);
	ss_registry_free(session->registry);
	free(session->groups);
	free(session->workload_groups);
	ss_problems_release(&session->problems);
	roots_release(&session->roots);
	*session = (struct session){ 0 };
}
