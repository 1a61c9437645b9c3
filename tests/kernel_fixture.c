#include "kernel_fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

/** Sets a scenario of this part lists, later ones winning. */
static const char *sets_of(const char *part)
{
	if (strncmp(part, "v100", 4) == 0)
		return "\"cost-model-host-overheads\", \"cost-model-memory\", \"cost-model-sm70\"";
	return "\"cost-model-primitives\", \"cost-model-collectives\", \"cost-model-memory\", "
	       "\"cost-model-host-overheads\", \"cost-model-attention\", \"cost-model-recurrent\"";
}

static void fail_with(const struct ss_problems *problems)
{
	for (size_t i = 0; i < problems->count; i++)
		print_error("%s %s: %s\n", problems->items[i].code, problems->items[i].pointer,
			    problems->items[i].message);
	fail();
}

static void apply(struct kernel_fixture *f, const char *settings)
{
	char word[256];
	struct ss_error err = { 0 };

	while (*settings) {
		size_t length = strcspn(settings, " ");
		char *value;

		assert_true(length < sizeof(word));
		memcpy(word, settings, length);
		word[length] = '\0';
		value = strchr(word, '=');
		assert_non_null(value);
		*value++ = '\0';
		if (ss_scenario_set(f->scenario, 0, word, value, &err)) {
			print_error("%s: %s\n", err.where, err.message);
			fail();
		}
		settings += length + (settings[length] == ' ');
	}
}

static void resolve(struct kernel_fixture *f)
{
	enum ss_status rc;

	ss_problems_release(&f->problems);
	ss_kernel_free(f->kernel);
	f->kernel = NULL;
	rc = ss_kernel_new(&f->kernel, f->basis, f->scenario, 0, f->corrections, &f->problems);
	assert_true(rc == SS_OK || rc == SS_EREFUSED);
}

/** Load what the scenario names, with one coefficient tried at another value (or NULL). */
static void open_basis(struct kernel_fixture *f, const struct ss_whatif *whatif)
{
	const struct ss_scenario *s = f->scenario;
	const struct ss_value *names = ss_scenario_value(s, 0, SS_F_COEFFICIENTS);
	const struct ss_value *fabric = ss_scenario_value(s, 0, SS_F_FABRIC);
	const struct ss_coefficient_set *sets[16];
	struct ss_basis_inputs in = { .registry = f->registry,
				      .sets = sets,
				      .set_count = names->count,
				      .whatifs = whatif,
				      .whatif_count = whatif != NULL };

	assert_true(names->count <= 16);
	for (size_t i = 0; i < names->count; i++)
		sets[i] = ss_registry_coefficients(f->registry, names->texts[i], &f->problems);
	in.model = ss_registry_model(f->registry, ss_scenario_value(s, 0, SS_F_MODEL)->text,
				     &f->problems);
	in.part = ss_registry_part(f->registry, ss_scenario_value(s, 0, SS_F_HARDWARE)->text,
				   &f->problems);
	in.pack = ss_registry_pack(f->registry, ss_scenario_value(s, 0, SS_F_ENGINE)->text,
				   ss_scenario_value(s, 0, SS_F_ENGINE_VERSION)->text,
				   &in.is_fallback_pack, &f->problems);
	in.storage = ss_registry_storage(f->registry, &f->problems);
	if (in.pack && ss_basis_reference(&in.reference, f->registry, in.pack, &f->problems))
		fail_with(&f->problems);
	if (fabric->is_stated)
		in.network = ss_registry_network(f->registry, fabric->text, &f->problems);
	if (ss_problems_count(&f->problems, SS_ERROR))
		fail_with(&f->problems);
	if (ss_basis_new(&f->basis, &in, &f->problems))
		fail_with(&f->problems);
}

static void open_registry(struct kernel_fixture *f)
{
	const char *const roots[] = { TEST_SRCDIR "/registry", TEST_SRCDIR "/tests/data/registry" };
	struct ss_error err = { 0 };

	*f = (struct kernel_fixture){ .corrections = SS_CORRECTIONS_DEFAULT };
	assert_int_equal(ss_registry_new(&f->registry, roots, 2, &err), SS_OK);
}

void fixture_make(struct kernel_fixture *f, const char *model, const char *part,
		  const struct fixture_cluster *cluster, const char *settings)
{
	char json[2048];
	char rack[64] = "", link[64] = "";
	int length;

	open_registry(f);
	if (cluster->gpus_per_rack)
		(void)snprintf(rack, sizeof(rack), ", \"gpus_per_rack\": %d",
			       cluster->gpus_per_rack);
	if (cluster->inter_node_gb_s > 0)
		(void)snprintf(link, sizeof(link),
			       ", \"fabric\": \"ib-400g\", \"inter_node_gb_s\": %g",
			       cluster->inter_node_gb_s);
	length = snprintf(
		json, sizeof(json),
		"{\"kind\": \"Scenario\", \"name\": \"test\", \"model\": \"%s\", "
		"\"engine\": \"vllm\", \"engine_version\": \"0.31.0\", "
		"\"coefficients\": [%s], \"cluster\": {\"hardware\": \"%s\", "
		"\"nodes\": %d, \"gpus_per_node\": %d%s%s}, "
		"\"workload\": {\"batch\": []}, "
		"\"deployment\": {\"name\": \"test\", \"pools\": [{\"role\": \"colocated\", "
		"\"nodes\": %d, \"parallel\": {\"tp\": 1, \"pp\": 1, \"dp\": 1}, "
		"\"engine\": {}}]}}",
		model, sets_of(part), part, cluster->nodes, cluster->gpus_per_node, rack, link,
		cluster->nodes);
	assert_true(length > 0 && (size_t)length < sizeof(json));
	f->scenario = ss_scenario_parse(json, (size_t)length, "test", &f->problems);
	if (!f->scenario)
		fail_with(&f->problems);
	apply(f, settings);
	open_basis(f, NULL);
	resolve(f);
}

void fixture_open(struct kernel_fixture *f, const char *scenario, const char *settings)
{
	char path[512];

	open_registry(f);
	(void)snprintf(path, sizeof(path), TEST_SRCDIR "/scenarios/%s.json", scenario);
	f->scenario = ss_scenario_load(path, &f->problems);
	if (!f->scenario)
		fail_with(&f->problems);
	apply(f, settings);
	open_basis(f, NULL);
	resolve(f);
}

void fixture_set(struct kernel_fixture *f, const char *settings)
{
	apply(f, settings);
	resolve(f);
}

void fixture_whatif(struct kernel_fixture *f, const char *name, double value)
{
	ss_kernel_free(f->kernel);
	f->kernel = NULL;
	ss_basis_free(f->basis);
	f->basis = NULL;
	open_basis(f, name ? &(struct ss_whatif){ name, value } : NULL);
	resolve(f);
}

void fixture_release(struct kernel_fixture *f)
{
	ss_kernel_free(f->kernel);
	ss_basis_free(f->basis);
	ss_scenario_free(f->scenario);
	ss_registry_free(f->registry);
	ss_problems_release(&f->problems);
}
