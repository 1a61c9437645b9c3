/* A service level that reads is written and read back the same. */
#include "fuzz/fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "stepscope/load.h"

static void check_back(const struct ss_slo *slo)
{
	char text[1024], again[1024];
	struct ss_slo back;

	FUZZ_CHECK(ss_slo_format(slo, text, sizeof(text)) < sizeof(text));
	FUZZ_CHECK(!ss_slo_parse(&back, text, NULL) && back.term_count == slo->term_count);
	FUZZ_CHECK(ss_slo_format(&back, again, sizeof(again)) < sizeof(again));
	FUZZ_CHECK(!strcmp(text, again));
	for (size_t i = 0; i < slo->term_count; i++)
		FUZZ_CHECK(slo->terms[i].limit_s > 0 && slo->terms[i].percentile > 0 &&
			   slo->terms[i].percentile <= 1);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct ss_error err = { 0 };
	struct ss_slo slo;
	char *text = malloc(size + 1);

	if (!text)
		return 0;
	if (size)
		memcpy(text, data, size);
	text[size] = '\0';
	if (!ss_slo_parse(&slo, text, &err))
		check_back(&slo);
	else
		FUZZ_CHECK(*err.message);
	free(text);
	return 0;
}
