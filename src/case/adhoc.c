/* A scenario made from words: the part's coefficient sets and one pool over all nodes. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "text/xbuf.h"
#include "case/session.h"

static bool lists(const struct ss_coefficient_set *set, const char *part)
{
	if (set->everywhere_count)
		return true;
	for (size_t i = 0; i < set->hardware_count; i++)
		if (!strcmp(set->by_hardware[i].hardware, part))
			return true;
	return false;
}

/** Does `big` have entries for every part that `set` has entries for? */
static bool covers(const struct ss_coefficient_set *big, const struct ss_coefficient_set *set)
{
	for (size_t i = 0; i < set->hardware_count; i++)
		if (!lists(big, set->by_hardware[i].hardware))
			return false;
	return true;
}

/**
 * The sets a part has: those with entries for it, and those written for parts that
 * all of the former know too (a family's set that happens to lack this part).
 */
static enum ss_status sets_of_part(struct xbuf *out, struct ss_registry *registry, const char *part,
				   struct ss_problems *problems)
{
	const struct ss_coefficient_set **sets;
	char **names = NULL;
	bool *is_chosen;
	size_t count = 0;
	enum ss_status rc = ss_registry_names(registry, SS_DOCUMENT_COEFFICIENTS, &names, &count);

	if (rc)
		return rc;
	sets = xcalloc(count, sizeof(*sets));
	is_chosen = xcalloc(count, sizeof(*is_chosen));
	for (size_t i = 0; i < count && !rc; i++) {
		sets[i] = ss_registry_coefficients(registry, names[i], problems);
		if (!sets[i])
			rc = SS_EDOCUMENT;
		else
			is_chosen[i] = lists(sets[i], part);
	}
	for (size_t i = 0; i < count && !rc; i++) {
		bool is_wanted = true;

		for (size_t k = 0; k < count && !is_chosen[i]; k++)
			is_wanted &= !lists(sets[k], part) || covers(sets[k], sets[i]);
		if (is_wanted)
			xbuf_printf(out, "%s%s", out->len ? "," : "", names[i]);
	}
	free(is_chosen);
	free(sets);
	ss_names_free(names, count);
	return rc;
}

/** The release that names the part's own build (`sm70`), else the one priced. */
static const char *release_of(struct ss_registry *registry, const struct ss_part *part)
{
	const char *release = SS_PRICED_RELEASE;
	char **names = NULL;
	size_t count = 0;

	if (ss_registry_names(registry, SS_DOCUMENT_PACK, &names, &count))
		return release;
	for (size_t i = 0; i < count; i++) {
		const char *dash = strrchr(names[i], '-');

		if (dash && *part->compute_capability &&
		    !strcmp(dash + 1, part->compute_capability))
			release = part->compute_capability;
	}
	ss_names_free(names, count);
	return release;
}

static enum ss_status set_count(struct ss_scenario *s, const char *path, int64_t value,
				struct ss_error *err)
{
	char text[32];

	if (!value)
		return SS_OK;
	(void)snprintf(text, sizeof(text), "%lld", (long long)value);
	return ss_scenario_set(s, 0, path, text, err);
}

/** The graph's own name, or the last part of another one it was asked for by. */
static const char *scenario_stem(const struct ss_model *model)
{
	const char *slash = strrchr(model->asked, '/');

	return slash && slash[1] && *model->reason && !strstr(slash, ".json") ? slash + 1
									      : model->name;
}

static enum ss_status fill(struct ss_scenario *s, const struct adhoc *words,
			   const struct ss_model *model, const struct ss_part *part,
			   const char *sets, const char *release, struct ss_error *err)
{
	int64_t nodes = words->nodes ? words->nodes : 1;
	int64_t gpus = words->gpus_per_node  ? words->gpus_per_node
		       : part->gpus_per_node ? part->gpus_per_node
					     : 8;
	char name[256], rate[32];
	const struct setting texts[] = {
		{ "name", name },
		{ "model", words->model },
		{ "engine", "vllm" },
		{ "engine_version", words->engine_version ? words->engine_version : release },
		{ "coefficients", sets },
		{ "cluster.hardware", words->part },
		{ "cluster.fabric", words->fabric },
		{ "cluster.inter_node_gb_s", words->inter_node_gb_s > 0 ? rate : NULL },
		{ "deployment.name", "base" },
		{ "role", "colocated" },
		{ "parallel.tp", "1" },
		{ "parallel.pp", "1" },
		{ "parallel.dp", "1" },
	};
	enum ss_status rc = SS_OK;

	(void)snprintf(name, sizeof(name), "%s-%s", scenario_stem(model), words->part);
	(void)snprintf(rate, sizeof(rate), "%.17g", words->inter_node_gb_s);
	for (size_t i = 0; !rc && i < sizeof(texts) / sizeof(texts[0]); i++)
		if (texts[i].text)
			rc = ss_scenario_set(s, 0, texts[i].path, texts[i].text, err);
	if (!rc)
		rc = set_count(s, "cluster.nodes", nodes, err);
	if (!rc)
		rc = set_count(s, "pools[0].nodes", nodes, err);
	if (!rc)
		rc = set_count(s, "cluster.gpus_per_node", gpus, err);
	if (!rc)
		rc = set_count(s, "cluster.gpus_per_rack", words->gpus_per_rack, err);
	return rc;
}

enum ss_status adhoc_scenario(struct ss_scenario **out, struct ss_registry *registry,
			      const struct adhoc *words, struct ss_problems *problems,
			      struct ss_error *err)
{
	struct ss_scenario *s = NULL;
	struct xbuf sets = { 0 };
	const struct ss_model *model;
	const struct ss_part *part;
	enum ss_status rc;

	if (!words->model)
		return ss_fail(err, SS_EUSAGE, "--model", "must be given with --part");
	if (!words->part)
		return ss_fail(err, SS_EUSAGE, "--part", "must be given with --model");
	part = ss_registry_part(registry, words->part, problems);
	model = part ? ss_registry_model(registry, words->model, problems) : NULL;
	if (!model)
		return SS_EDOCUMENT;
	rc = sets_of_part(&sets, registry, words->part, problems);
	if (rc)
		goto done;
	s = ss_scenario_new();
	if (!s) {
		rc = SS_ENOMEM;
		goto done;
	}
	s->pools = calloc(1, sizeof(*s->pools));
	if (!s->pools) {
		rc = SS_ENOMEM;
		goto done;
	}
	s->pool_count = 1;
	rc = fill(s, words, model, part, xbuf_text(&sets), release_of(registry, part), err);
	if (rc)
		goto done;
	*out = s;
	s = NULL;
done:
	ss_scenario_free(s);
	xbuf_release(&sets);
	return rc;
}

enum ss_status adhoc_defaults(struct adhoc_defaults *out, struct ss_registry *registry,
			      const struct adhoc *words, struct ss_problems *problems,
			      struct ss_error *err)
{
	struct ss_scenario *scenario = NULL;
	const struct ss_value *sets;
	const struct ss_part *part;
	enum ss_status rc = adhoc_scenario(&scenario, registry, words, problems, err);

	*out = (struct adhoc_defaults){ 0 };
	if (rc)
		return rc;
	sets = ss_scenario_value(scenario, 0, SS_F_COEFFICIENTS);
	out->coefficients = xcalloc(sets->count + 1, sizeof(*out->coefficients));
	for (; out->coefficient_count < sets->count; out->coefficient_count++)
		out->coefficients[out->coefficient_count] =
			xstrdup(sets->texts[out->coefficient_count]);
	out->version = xstrdup(session_text(scenario, 0, SS_F_ENGINE_VERSION));
	part = ss_registry_part(registry, words->part, problems);
	if (part)
		out->gpus_per_node = part->gpus_per_node;
	ss_scenario_free(scenario);
	return SS_OK;
}

void adhoc_defaults_release(struct adhoc_defaults *defaults)
{
	for (size_t i = 0; i < defaults->coefficient_count; i++)
		free(defaults->coefficients[i]);
	free(defaults->coefficients);
	free(defaults->version);
	*defaults = (struct adhoc_defaults){ 0 };
}

/** Is the release a build for this part alone? */
static bool has_own_build(const struct ss_scenario *s, struct ss_registry *registry,
			  const struct ss_part *part)
{
	const char *release = part ? release_of(registry, part) : SS_PRICED_RELEASE;

	return strcmp(release, SS_PRICED_RELEASE) != 0 &&
	       strcmp(release, session_text(s, 0, SS_F_ENGINE_VERSION)) == 0;
}

enum ss_status adhoc_move(struct ss_scenario *s, struct ss_registry *registry, const char *part,
			  struct ss_problems *problems, struct ss_error *err)
{
	const char *own = session_text(s, 0, SS_F_HARDWARE);
	const struct ss_part *was, *to;
	struct xbuf sets = { 0 };
	enum ss_status rc;
	const char *release;

	if (!strcmp(own, part))
		return SS_OK;
	was = ss_registry_part(registry, own, NULL); /* one that is not there is left behind */
	to = ss_registry_part(registry, part, problems);
	if (!to)
		return SS_EDOCUMENT;
	rc = sets_of_part(&sets, registry, part, problems);
	if (!rc)
		rc = ss_scenario_set(s, 0, "coefficients", xbuf_text(&sets), err);
	if (!rc)
		rc = ss_scenario_set(s, 0, "cluster.hardware", part, err);
	if (!rc)
		rc = set_count(s, "cluster.gpus_per_node", to->gpus_per_node, err);
	/* what a rack or its links were is no fact of the new part */
	if (!rc)
		rc = ss_scenario_set(s, 0, "cluster.gpus_per_rack", "", err);
	release = release_of(registry, to);
	if (!rc && (strcmp(release, SS_PRICED_RELEASE) != 0 || has_own_build(s, registry, was)))
		rc = ss_scenario_set(s, 0, "engine_version", release, err);
	xbuf_release(&sets);
	return rc;
}
