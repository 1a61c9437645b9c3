#include "app/key.h"

#include <stdio.h>
#include <string.h>

static const struct {
	const char *name;
	uint32_t code;
} names[] = {
#define KEY_ROW(id, text) { text, KEYCODE_##id },
	KEY_NAME_LIST(KEY_ROW)
#undef KEY_ROW
	/* characters that a list of keys cannot show as themselves */
	{ "Space", ' ' },
	{ "lt", '<' },
};

bool key_equal(struct key a, struct key b)
{
	return a.code == b.code && a.mods == b.mods;
}

/* `<Name>` or `<S-Name>`; returns the bytes read or 0. */
static size_t parse_named(const char *s, struct key *out)
{
	const char *end = strchr(s, '>'), *name = s + 1;
	struct key key = { 0, 0 };
	size_t i;

	if (!end)
		return 0;
	for (; name + 2 < end && name[1] == '-'; name += 2) {
		if (name[0] == 'S')
			key.mods |= MOD_SHIFT;
		else if (name[0] == 'C')
			key.mods |= MOD_CTRL;
		else
			return 0;
	}
	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		size_t n = strlen(names[i].name);

		if (n == (size_t)(end - name) && memcmp(name, names[i].name, n) == 0) {
			key.code = names[i].code;
			*out = key;
			return (size_t)(end - s) + 1;
		}
	}
	return 0;
}

bool key_parse(const char **text, struct key *out)
{
	const char *s = *text + strspn(*text, " ");
	bool is_alone = s[0] && (s[1] == ' ' || s[1] == '\0');
	struct key key = { 0, 0 };
	size_t used = 0;

	if (s[0] == '<' && !is_alone) {
		used = parse_named(s, &key);
	} else if (s[0] == '^' && !is_alone) {
		if (s[1] >= 'A' && s[1] <= 'Z') {
			key.code = (uint32_t)(s[1] - 'A' + 'a');
			key.mods = MOD_CTRL;
			used = 2;
		}
	} else if (s[0] > ' ' && s[0] < 0x7f) {
		key.code = (unsigned char)s[0];
		used = 1;
	}
	if (used == 0 || (s[used] != ' ' && s[used] != '\0'))
		return false;
	*out = key;
	*text = s + used + strspn(s + used, " ");
	return true;
}

const char *key_text(struct key key, char *out, size_t size)
{
	const char *shift = key.mods & MOD_SHIFT ? "S-" : "";
	const char *ctrl = key.mods & MOD_CTRL ? "C-" : "";
	size_t i;

	if (key.mods == MOD_CTRL && key.code >= 'a' && key.code <= 'z') {
		(void)snprintf(out, size, "^%c", (char)(key.code - 'a' + 'A'));
		return out;
	}
	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (names[i].code != key.code)
			continue;
		/* a lone `<` reads as itself */
		if (key.code == '<' && key.mods == 0)
			break;
		(void)snprintf(out, size, "<%s%s%s>", shift, ctrl, names[i].name);
		return out;
	}
	(void)snprintf(out, size, "%c", key.code > ' ' && key.code < 0x7f ? (char)key.code : '?');
	return out;
}
