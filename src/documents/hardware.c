#include "stepscope/hardware.h"

#include <stdlib.h>
#include <string.h>

#include "documents/documents.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* Figures of hardware: wide of anything that exists, small enough to multiply. */
#define FIGURE_MAX 1e12
#define FIGURE_MIN 1e-9

struct part_document {
	struct ss_part part;
	struct arena arena;
};

struct network_document {
	struct ss_network network;
	struct arena arena;
};

struct storage_document {
	struct ss_storage storage;
	struct arena arena;
};

/*
 * A new document whose arena lies at `arena_offset`, with a reader over it.
 * Every document struct begins with the public one.
 */
static void *document_new(struct reader *r, size_t size, size_t arena_offset, const char *file,
			  struct ss_problems *problems)
{
	unsigned char *doc = calloc(1, size);

	*r = (struct reader){ .problems = problems, .file = file };
	if (!doc) {
		(void)ss_problems_add(problems, SS_ERROR, "memory", file, "", "out of memory");
		return NULL;
	}
	r->arena = (struct arena *)(void *)(doc + arena_offset);
	return doc;
}

/* The finished document, or NULL with everything freed. */
static void *document_end(struct reader *r, void *doc)
{
	if (!check_memory(r) && !r->error_count)
		return doc;
	arena_release(r->arena);
	free(doc);
	return NULL;
}

/* clang-format off */
#define PART_NUMBER(name, needed, low) \
	{ #name, KEY_NUMBER, needed, offsetof(struct ss_part, name), low, FIGURE_MAX, NULL, NULL }
#define PART_INT(name, needed) \
	{ #name, KEY_INT, needed, offsetof(struct ss_part, name), 1, 1000000, NULL, NULL }
#define PART_TEXT(name, needed) \
	{ #name, needed ? KEY_NAME : KEY_TEXT, needed, offsetof(struct ss_part, name), 0, 0, NULL, NULL }

enum part_key { P_KIND, P_SOURCES, P_NVLINK, P_CAPABILITY_SOURCE, P_PROVENANCE };
static const char *const capability_sources[] = { "catalog", "inferred" };
static const struct words capability_source_words = { capability_sources, COUNT(capability_sources), 0 };
static const char *const provenances[] = { "vendor_spec", "derived" };
static const struct words provenance_words = { provenances, COUNT(provenances), 0 };

static const struct key part_keys[] = {
	[P_KIND] = KIND_KEY,
	[P_SOURCES] = { "sources", KEY_LIST, false, 0, 0, 0, NULL, NULL },
	[P_NVLINK] = { "nvlink", KEY_BOOL, false, offsetof(struct ss_part, has_nvlink), 0, 0, NULL, NULL },
	[P_CAPABILITY_SOURCE] = { "compute_capability_source", KEY_WORD, false, NO_OFFSET, 0, 0, &capability_source_words, NULL },
	[P_PROVENANCE] = { "provenance", KEY_WORD, false, NO_OFFSET, 0, 0, &provenance_words, NULL },
	PART_TEXT(name, true),
	PART_TEXT(comment, false),
	PART_NUMBER(bf16_tflops, true, FIGURE_MIN),
	PART_NUMBER(fp8_tflops, false, 0),
	PART_NUMBER(nvfp4_tflops, false, 0),
	PART_NUMBER(fp32_tflops, false, 0),
	PART_NUMBER(memory_bandwidth_tb_s, true, FIGURE_MIN),
	PART_NUMBER(memory_gib, true, FIGURE_MIN),
	PART_NUMBER(visible_gib, false, FIGURE_MIN),
	PART_INT(sm_count, true),
	PART_NUMBER(intra_node_gb_s, true, FIGURE_MIN),
	PART_INT(gpus_per_node, false),
	PART_INT(gpus_per_rack, false),
	PART_NUMBER(intra_rack_gb_s, false, 0),
	PART_TEXT(generation, true),
	PART_TEXT(compute_capability, false),
	PART_TEXT(kernel_times, false),
};
/* clang-format on */

static void check_part(struct reader *r, const struct ss_part *p)
{
	struct place fp8 = { NULL, "fp8_tflops", 0 }, rack = { NULL, "gpus_per_rack", 0 };
	struct place link = { NULL, "intra_rack_gb_s", 0 }, seen = { NULL, "visible_gib", 0 };

	if (p->fp8_tflops > 0 && p->fp8_tflops <= p->bf16_tflops)
		report(r, SS_ERROR, &fp8, "range", "found %.15g, must exceed bf16_tflops (%.15g)",
		       p->fp8_tflops, p->bf16_tflops);
	if (p->visible_gib > p->memory_gib)
		report(r, SS_ERROR, &seen, "range",
		       "found %.15g, must not exceed memory_gib (%.15g)", p->visible_gib,
		       p->memory_gib);
	if (p->gpus_per_node > 0 && p->gpus_per_rack % p->gpus_per_node != 0)
		report(r, SS_ERROR, &rack, "range",
		       "found %lld, must be a multiple of gpus_per_node "
		       "(%lld)",
		       (long long)p->gpus_per_rack, (long long)p->gpus_per_node);
	if (p->intra_rack_gb_s > 0 && p->gpus_per_rack == 0)
		report(r, SS_ERROR, &link, "range", "stated without gpus_per_rack");
}

struct ss_part *part_read(const cJSON *root, const char *file, const char *stem,
			  struct ss_problems *problems)
{
	struct reader r;
	struct part_document *doc = document_new(
		&r, sizeof(*doc), offsetof(struct part_document, arena), file, problems);
	const cJSON *found[COUNT(part_keys)];
	struct place sources = { NULL, "sources", 0 };

	if (!doc)
		return NULL;
	doc->part.has_nvlink = true;
	if (check_kind(&r, root, SS_DOCUMENT_HARDWARE) &&
	    read_object(&r, NULL, root, part_keys, COUNT(part_keys), &doc->part, found)) {
		check_name(&r, doc->part.name, stem);
		check_sources(&r, &sources, found[P_SOURCES]);
		doc->part.has_inferred_capability =
			found[P_CAPABILITY_SOURCE] &&
			strcmp(found[P_CAPABILITY_SOURCE]->valuestring, "inferred") == 0;
		if (!r.error_count)
			check_part(&r, &doc->part);
	}
	return document_end(&r, doc);
}

struct ss_network *network_read(const cJSON *root, const char *file, const char *stem,
				struct ss_problems *problems)
{
	enum { KIND, SOURCES, NAME, COMMENT, RATE, RDMA, CURRENT, PROVENANCE };
	/* clang-format off */
	static const struct key keys[] = {
		[KIND] = KIND_KEY,
		[SOURCES] = { "sources", KEY_LIST, false, 0, 0, 0, NULL, NULL },
		[NAME] = { "name", KEY_NAME, true, offsetof(struct ss_network, name), 0, 0, NULL, NULL },
		[COMMENT] = { "comment", KEY_TEXT, false, offsetof(struct ss_network, comment), 0, 0, NULL, NULL },
		[RATE] = { "inter_node_gb_s", KEY_NUMBER, true, offsetof(struct ss_network, inter_node_gb_s), FIGURE_MIN, FIGURE_MAX, NULL, NULL },
		[RDMA] = { "rdma", KEY_BOOL, false, offsetof(struct ss_network, has_rdma), 0, 0, NULL, NULL },
		[CURRENT] = { "current", KEY_BOOL, false, NO_OFFSET, 0, 0, NULL, NULL },
		[PROVENANCE] = { "provenance", KEY_WORD, false, NO_OFFSET, 0, 0, &provenance_words, NULL },
	};
	/* clang-format on */
	struct reader r;
	struct network_document *doc = document_new(
		&r, sizeof(*doc), offsetof(struct network_document, arena), file, problems);
	const cJSON *found[COUNT(keys)];
	struct place sources = { NULL, "sources", 0 };

	if (!doc)
		return NULL;
	if (check_kind(&r, root, SS_DOCUMENT_NETWORK) &&
	    read_object(&r, NULL, root, keys, COUNT(keys), &doc->network, found)) {
		check_name(&r, doc->network.name, stem);
		check_sources(&r, &sources, found[SOURCES]);
	}
	return document_end(&r, doc);
}

static void read_class(struct reader *r, const struct place *at, const cJSON *item,
		       struct ss_storage_class *class)
{
	/* clang-format off */
	static const struct key keys[] = {
		{ "read_mb_s", KEY_NUMBER, true, offsetof(struct ss_storage_class, read_mb_s), FIGURE_MIN, FIGURE_MAX, NULL, NULL },
		{ "write_mb_s", KEY_NUMBER, true, offsetof(struct ss_storage_class, write_mb_s), FIGURE_MIN, FIGURE_MAX, NULL, NULL },
		{ "base_latency_us", KEY_NUMBER, true, offsetof(struct ss_storage_class, base_latency_us), FIGURE_MIN, FIGURE_MAX, NULL, NULL },
		{ "comment", KEY_TEXT, false, NO_OFFSET, 0, 0, NULL, NULL },
	};
	/* clang-format on */
	class->name = arena_text(r->arena, item->string);
	(void)read_object(r, at, item, keys, COUNT(keys), class, NULL);
}

static void read_classes(struct reader *r, const cJSON *map, struct ss_storage *storage)
{
	enum { CLASSES_MAX = 1000 };
	struct place at = { NULL, "classes", 0 };
	size_t size = 0;

	for (const cJSON *item = map->child; item; item = item->next)
		size++;
	if (!size || size > CLASSES_MAX) {
		report(r, SS_ERROR, &at, "range", "holds %zu classes, must hold 1 to %d", size,
		       CLASSES_MAX);
		return;
	}
	storage->classes = arena_array(r->arena, size, sizeof(*storage->classes));
	if (!storage->classes)
		return;
	for (const cJSON *item = map->child; item; item = item->next) {
		struct place place = { &at, item->string, 0 };

		for (size_t i = 0; i < storage->count; i++)
			if (strcmp(storage->classes[i].name, item->string) == 0)
				report(r, SS_ERROR, &place, "duplicate-key",
				       "the key \"%.80s\" stands here a second time", item->string);
		read_class(r, &place, item, &storage->classes[storage->count++]);
	}
}

struct ss_storage *storage_read(const cJSON *root, const char *file, const char *stem,
				struct ss_problems *problems)
{
	enum { KIND, COMMENT, SOURCES, CLASSES };
	static const struct key keys[] = {
		[KIND] = KIND_KEY,
		[COMMENT] = { "comment", KEY_TEXT, false, NO_OFFSET, 0, 0, NULL, NULL },
		[SOURCES] = { "sources", KEY_LIST, false, 0, 0, 0, NULL, NULL },
		[CLASSES] = { "classes", KEY_OBJECT, true, 0, 0, 0, NULL, NULL },
	};
	struct reader r;
	struct storage_document *doc = document_new(
		&r, sizeof(*doc), offsetof(struct storage_document, arena), file, problems);
	const cJSON *found[COUNT(keys)];
	struct place sources = { NULL, "sources", 0 };

	(void)stem;
	if (!doc)
		return NULL;
	if (check_kind(&r, root, SS_DOCUMENT_STORAGE) &&
	    read_object(&r, NULL, root, keys, COUNT(keys), NULL, found)) {
		check_sources(&r, &sources, found[SOURCES]);
		if (found[CLASSES])
			read_classes(&r, found[CLASSES], &doc->storage);
	}
	return document_end(&r, doc);
}

static bool has_class(const struct ss_storage *storage, const char *name)
{
	for (size_t i = 0; i < storage->count; i++)
		if (strcmp(storage->classes[i].name, name) == 0)
			return true;
	return false;
}

bool storage_add(struct ss_storage *into, const struct ss_storage *more)
{
	struct arena *arena = &((struct storage_document *)into)->arena;
	struct ss_storage_class *classes =
		arena_array(arena, into->count + more->count, sizeof(*classes));

	if (!classes)
		return false;
	memcpy(classes, into->classes, into->count * sizeof(*classes));
	into->classes = classes;
	for (size_t i = 0; i < more->count; i++) {
		if (has_class(into, more->classes[i].name))
			continue;
		classes[into->count] = more->classes[i];
		classes[into->count++].name = arena_text(arena, more->classes[i].name);
	}
	return !arena->is_out_of_memory;
}

void ss_part_free(struct ss_part *part)
{
	struct part_document *doc = (struct part_document *)part;

	if (doc)
		arena_release(&doc->arena);
	free(doc);
}

void ss_network_free(struct ss_network *network)
{
	struct network_document *doc = (struct network_document *)network;

	if (doc)
		arena_release(&doc->arena);
	free(doc);
}

void ss_storage_free(struct ss_storage *storage)
{
	struct storage_document *doc = (struct storage_document *)storage;

	if (doc)
		arena_release(&doc->arena);
	free(doc);
}
