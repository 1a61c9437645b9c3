/* A review that reads is written and read back equal. */
#include "fuzz/fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "stepscope/review.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct ss_problems problems = { 0 };
	struct ss_review *review =
		ss_review_parse(size ? (const char *)data : "", size, "fuzz", &problems);
	struct ss_review *back = NULL;
	char *json = review ? ss_review_to_json(review) : NULL;

	if (json) {
		back = ss_review_parse(json, strlen(json), "back", NULL);
		if (!back || !ss_review_equal(review, back))
			abort();
	}
	if (!review && !problems.count)
		abort();
	free(json);
	ss_review_free(back);
	ss_review_free(review);
	ss_problems_release(&problems);
	return 0;
}
