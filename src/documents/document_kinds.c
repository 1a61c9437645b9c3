/* Kinds of documents, each with its reader and its end. */
#include "documents/documents.h"

void document_free(enum ss_document_kind kind, void *document)
{
	switch (kind) {
	case SS_DOCUMENT_SCENARIO:
		ss_scenario_free(document);
		break;
	case SS_DOCUMENT_MODEL:
		ss_model_free(document);
		break;
	case SS_DOCUMENT_COEFFICIENTS:
		ss_coefficient_set_free(document);
		break;
	case SS_DOCUMENT_PACK:
		ss_pack_free(document);
		break;
	case SS_DOCUMENT_HARDWARE:
		ss_part_free(document);
		break;
	case SS_DOCUMENT_NETWORK:
		ss_network_free(document);
		break;
	case SS_DOCUMENT_STORAGE:
		ss_storage_free(document);
		break;
	case SS_DOCUMENT_WORKLOAD:
		ss_workload_shape_free(document);
		break;
	case SS_DOCUMENT_TIMES:
		ss_times_free(document);
		break;
	case SS_DOCUMENT_REVIEW:
		ss_review_free(document);
		break;
	case SS_DOCUMENT_NAMES:
		ss_model_names_free(document);
		break;
	case SS_DOCUMENT_COUNT:
		break;
	}
}

void *document_read(enum ss_document_kind kind, const cJSON *root, const char *file,
		    const char *stem, struct ss_problems *problems)
{
	switch (kind) {
	case SS_DOCUMENT_SCENARIO:
		return scenario_read(root, file, problems);
	case SS_DOCUMENT_MODEL:
		return model_read(root, file, stem, problems);
	case SS_DOCUMENT_COEFFICIENTS:
		return coefficients_read(root, file, stem, problems);
	case SS_DOCUMENT_PACK:
		return pack_read(root, file, stem, problems);
	case SS_DOCUMENT_HARDWARE:
		return part_read(root, file, stem, problems);
	case SS_DOCUMENT_NETWORK:
		return network_read(root, file, stem, problems);
	case SS_DOCUMENT_STORAGE:
		return storage_read(root, file, stem, problems);
	case SS_DOCUMENT_WORKLOAD:
		return workload_read(root, file, stem, problems);
	case SS_DOCUMENT_TIMES:
		return times_read(root, file, stem, problems);
	case SS_DOCUMENT_REVIEW:
		return review_read(root, file, problems);
	case SS_DOCUMENT_NAMES:
		return model_names_read(root, file, problems);
	case SS_DOCUMENT_COUNT:
		break;
	}
	return NULL;
}
