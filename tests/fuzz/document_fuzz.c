/* Any document of the registry: whatever the bytes, it is loaded or reported. */
#include "fuzz/fuzz.h"

#include "documents/documents.h"
#include "documents/json.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct ss_problems problems = { 0 };
	const char *text = (const char *)data;
	cJSON *root = json_parse(size ? text : "", size, "fuzz", &problems);

	if (root) {
		ss_model_free(model_read(root, "fuzz", "fuzz", &problems));
		ss_part_free(part_read(root, "fuzz", "fuzz", &problems));
		ss_network_free(network_read(root, "fuzz", "fuzz", &problems));
		ss_storage_free(storage_read(root, "fuzz", "fuzz", &problems));
		ss_workload_shape_free(workload_read(root, "fuzz", "fuzz", &problems));
		ss_coefficient_set_free(coefficients_read(root, "fuzz", "fuzz", &problems));
		ss_pack_free(pack_read(root, "fuzz", "fuzz", &problems));
	}
	cJSON_Delete(root);
	ss_problems_release(&problems);
	return 0;
}
