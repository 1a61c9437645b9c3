#include "text/where.h"

#include <string.h>

static const struct {
	const char *text;
	enum where_op op;
} operators[] = {
	/* Longer ones first, so that `<=` is not read as `<`. */
	{ "!=", WHERE_NE }, { "<=", WHERE_LE }, { ">=", WHERE_GE }, { "==", WHERE_EQ },
	{ "=", WHERE_EQ },  { "<", WHERE_LT },  { ">", WHERE_GT },
};

bool where_split(const char *test, char *name, size_t size, enum where_op *op, const char **value)
{
	size_t len = strcspn(test, "=!<>");
	const char *at = test + len;

	while (len && test[len - 1] == ' ')
		len--;
	if (!len || len >= size)
		return false;
	memcpy(name, test, len);
	name[len] = '\0';
	for (size_t i = 0; i < sizeof(operators) / sizeof(operators[0]); i++) {
		size_t n = strlen(operators[i].text);

		if (strncmp(at, operators[i].text, n) != 0)
			continue;
		*op = operators[i].op;
		*value = at + n + strspn(at + n, " ");
		return true;
	}
	return false;
}

bool where_holds(enum where_op op, int order)
{
	switch (op) {
	case WHERE_EQ:
		return order == 0;
	case WHERE_NE:
		return order != 0;
	case WHERE_LT:
		return order < 0;
	case WHERE_LE:
		return order <= 0;
	case WHERE_GT:
		return order > 0;
	case WHERE_GE:
		return order >= 0;
	}
	return false;
}
