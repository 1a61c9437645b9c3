#include <stdlib.h>

#include "documents/registry_derived.h"
#include "stepscope/engine.h"
#include "stepscope/kernel.h"

static const char *text_of(const struct ss_scenario *scenario, enum ss_field_id id)
{
	const struct ss_value *v = &scenario->values[id];

	return v->is_stated && v->text ? v->text : NULL;
}

static void free_reference(void *reference)
{
	ss_reference_free(reference);
}

enum ss_status ss_basis_reference(const struct ss_reference **out, struct ss_registry *registry,
				  const struct ss_pack *pack, struct ss_problems *problems)
{
	struct ss_reference *reference = NULL;
	enum ss_status rc;

	if (!pack->is_sm70) {
		*out = NULL;
		return SS_OK;
	}
	reference = registry_derived(registry, pack);
	if (!reference) {
		rc = ss_reference_load(&reference, pack->file, problems);
		if (rc)
			return rc;
		if (!registry_keep_derived(registry, pack, reference, free_reference)) {
			ss_reference_free(reference);
			return SS_EUSAGE;
		}
	}
	*out = reference;
	return SS_OK;
}

enum ss_status ss_basis_open(struct ss_basis **out, struct ss_registry *registry,
			     const struct ss_scenario *scenario, const struct ss_whatif *whatifs,
			     size_t whatif_count, struct ss_problems *problems)
{
	const struct ss_value *names = &scenario->values[SS_F_COEFFICIENTS];
	const char *fabric = text_of(scenario, SS_F_FABRIC);
	const struct ss_coefficient_set **sets =
		calloc(names->count + 1, sizeof(struct ss_coefficient_set *));
	struct ss_basis_inputs in = {
		.registry = registry,
		.whatifs = whatifs ? whatifs : scenario->what_if,
		.whatif_count = whatifs ? whatif_count : scenario->what_if_count,
	};
	enum ss_status rc = SS_EDOCUMENT;
	bool is_complete = true;

	if (!sets)
		return SS_ENOMEM;
	in.model = ss_registry_model(registry, text_of(scenario, SS_F_MODEL), problems);
	in.part = ss_registry_part(registry, text_of(scenario, SS_F_HARDWARE), problems);
	if (fabric) {
		in.network = ss_registry_network(registry, fabric, problems);
		is_complete = in.network != NULL;
	}
	in.storage = ss_registry_storage(registry, problems);
	in.pack = ss_registry_pack(registry, text_of(scenario, SS_F_ENGINE),
				   text_of(scenario, SS_F_ENGINE_VERSION), &in.is_fallback_pack,
				   problems);
	for (size_t i = 0; i < names->count; i++) {
		sets[i] = ss_registry_coefficients(registry, names->texts[i], problems);
		is_complete &= sets[i] != NULL;
	}
	in.sets = sets;
	in.set_count = names->count;
	if (in.pack && ss_basis_reference(&in.reference, registry, in.pack, problems))
		is_complete = false;
	if (in.model && in.part && in.storage && in.pack && is_complete)
		rc = ss_basis_new(out, &in, problems);
	free(sets);
	return rc;
}
