/**
 * @file
 * How far the price was off where runs like the present ones were published: those of the
 * same model and part, else of the model, else on the part. The runs are those that come
 * with the registry, priced as they were served and with every value as it is in its set,
 * from a registry of their own: the case's has what the case was read from.
 */
#ifndef CASE_VALIDATED_H
#define CASE_VALIDATED_H

#include <stdbool.h>

#include "case/score.h"

/** What the runs share with the case. */
enum validated_level { VALIDATED_BOTH, VALIDATED_MODEL, VALIDATED_PART, VALIDATED_NONE };

/** `{ 0 }` knows nothing yet. */
struct validated {
	char *model, *part; /**< that it is about */
	struct session_request request;
	struct ss_registry *registry; /**< while runs are priced */
	struct score score;
	enum validated_level level;
	size_t next; /**< run to price */
	bool is_open, is_done;
	struct ss_problems problems; /**< files that could not be read; then nothing is known */
};

/**
 * Price a few more of the nearest runs; starts anew when model or part are others.
 *
 * @return true while there are more.
 */
bool validated_think(struct validated *validated, const struct ss_registry *registry,
		     const struct ss_scenario *scenario);
/** All of them at once; SS_EIO where a file could not be read, see the problems. */
SS_NODISCARD enum ss_status validated_find(struct validated *validated,
					   const struct ss_registry *registry,
					   const struct ss_scenario *scenario);
void validated_release(struct validated *validated);

/** Over the runs priced; `rows` 0 without any. */
void validated_stat(struct score_stat *out, const struct validated *validated,
		    enum ss_figure figure);

/** `published runs of this model on h200`. */
void validated_what(char *out, size_t size, const struct validated *validated);
/** `58 published runs of this model on h200: median 5.2 %, bias +2.5 %`. */
void validated_text(char *out, size_t size, const struct validated *validated,
		    enum ss_figure figure);

#endif
