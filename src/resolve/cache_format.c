#include "resolve/cache_format.h"

#include <stddef.h>
#include <string.h>

/* clang-format off */
/* nvfp4: 4 bits an element, and a byte of scale for each 16 */
static const struct cache_format formats[] = {
	{ "auto",                CACHE_PLAIN,   2 },
	{ "float16",             CACHE_PLAIN,   2 },
	{ "bfloat16",            CACHE_PLAIN,   2 },
	{ "float32",             CACHE_PLAIN,   4 },
	{ "fp8",                 CACHE_PLAIN,   1 },
	{ "fp8_e4m3",            CACHE_PLAIN,   1 },
	{ "fp8_e5m2",            CACHE_PLAIN,   1 },
	{ "nvfp4",               CACHE_PLAIN,   0.5625 },
	{ "nvfp4_4over6",        CACHE_PLAIN,   0.5625 },
	{ "fp8_ds_mla",          CACHE_PACKED,  0 },
	{ "nvfp4_ds_mla",        CACHE_PACKED,  0 },
	{ "turboquant_k8v4",     CACHE_UNSIZED, 0 },
	{ "turboquant_4bit_nc",  CACHE_UNSIZED, 0 },
	{ "turboquant_k3v4_nc",  CACHE_UNSIZED, 0 },
	{ "turboquant_3bit_nc",  CACHE_UNSIZED, 0 },
	{ "int4_per_token_head", CACHE_UNSIZED, 0 },
	{ "int8_per_token_head", CACHE_UNSIZED, 0 },
	{ "fp8_per_token_head",  CACHE_UNSIZED, 0 },
	{ "fp8_inc",             CACHE_REFUSED, 0 },
};
/* clang-format on */

const struct cache_format *cache_format_find(const char *name)
{
	for (size_t i = 0; i < sizeof(formats) / sizeof(formats[0]); i++)
		if (strcmp(formats[i].name, name) == 0)
			return &formats[i];
	return NULL;
}

bool cache_is_quantized(const char *name)
{
	static const char tail[] = "per_token_head";
	size_t length = strlen(name);

	return strncmp(name, "fp8", 3) == 0 || strncmp(name, "nvfp4", 5) == 0 ||
	       (length >= sizeof(tail) - 1 &&
		strcmp(name + length - (sizeof(tail) - 1), tail) == 0);
}
