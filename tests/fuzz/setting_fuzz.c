/* `path=value` as --set takes it: what is set can be written and set again. */
#include "fuzz/fuzz.h"

#include <stdlib.h>
#include <string.h>

#include "stepscope/scenario.h"

/* Every value as text reads back as the value it is. */
static void check_values(const struct ss_scenario *s)
{
	for (size_t i = 0; i < SS_FIELD_COUNT; i++) {
		const struct ss_field *f = ss_field((enum ss_field_id)i);
		const struct ss_value *v = ss_scenario_value(s, 0, f->id);
		struct ss_value back = { 0 };
		size_t length = ss_value_format(NULL, 0, f, v);
		char *text = malloc(length + 1);

		/* A text that begins with blanks, or a map, may be longer than one element. */
		if (text && ss_value_format(text, length + 1, f, v) != length)
			abort();
		if (text && v->is_stated && ss_value_parse(&back, f, text, NULL) != SS_OK)
			abort();
		ss_value_release(&back);
		free(text);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct ss_scenario *s = ss_scenario_new();
	char *text = malloc(size + 1);
	struct ss_error err;
	char *value;

	if (s && text) {
		s->pools = calloc(1, sizeof(*s->pools));
		s->pool_count = s->pools ? 1 : 0;
		if (size)
			memcpy(text, data, size);
		text[size] = '\0';
		value = strchr(text, '=');
		if (value)
			*value++ = '\0';
		if (s->pools && ss_scenario_set(s, 0, text, value ? value : "", &err) == SS_OK)
			check_values(s);
	}
	free(text);
	ss_scenario_free(s);
	return 0;
}
