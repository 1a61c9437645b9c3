/*
 * Which values a setting can take next: what Space cycles through, what + and -
 * step to. Only proposes; whether a value is refused is the kernel's to say.
 */
#ifndef APP_CHOICES_H
#define APP_CHOICES_H

#include "stepscope/kernel.h"
#include "stepscope/scenario.h"

/** Names a setting of SS_TYPE_NAME may take; borrowed. */
struct choices_names {
	char **items;
	size_t count;
};

struct choices_context {
	const struct ss_scenario *scenario;
	size_t pool;
	const struct ss_pack *pack;             /**< NULL: its lists are not known */
	const struct ss_model *model;           /**< NULL: no bounds from it */
	const struct ss_resolution *resolution; /**< of the last valid price; NULL: none yet */
	struct choices_names names[SS_DOCUMENT_COUNT];
};

/**
 * The value after the present one, round and round: the choices of the field or
 * the pack, or a few telling numbers, unstated among them where that is allowed.
 *
 * @param step +1 the next, -1 the one before.
 * @return false when the field has no such list; then `out` is left unstated.
 */
bool choices_cycle(struct ss_value *out, const struct choices_context *context,
		   enum ss_field_id field, int step);

/**
 * One step up or down: twice or half a width, a block's next multiple, the next
 * choice of a list. From an unstated number it starts at what runs.
 *
 * @return false at the end of the range.
 */
bool choices_step(struct ss_value *out, const struct choices_context *context,
		  enum ss_field_id field, int step);

/**
 * The n-th word that completes the field's value, for the prompt; NULL past the end.
 * Borrowed from the pack, the names or static tables; `scratch` may be used for it.
 */
const char *choices_word(const struct choices_context *context, enum ss_field_id field, size_t n,
			 char *scratch, size_t size);

/** Do the field's values name documents, of which there are no others? */
bool choices_is_listed(enum ss_field_id field);

/** The kind of those documents; SS_DOCUMENT_COUNT: it names none. */
enum ss_document_kind choices_documents(enum ss_field_id field);

/** What runs for a number that is not stated, from the resolution; false when it is not known. */
bool choices_running(const struct choices_context *context, enum ss_field_id field, double *out);

#endif
