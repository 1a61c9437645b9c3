/*
 * Keys: what the terminal decodes to and the table of actions is written in.
 * A key is a code point or a named key, with modifiers.
 */
#ifndef APP_KEY_H
#define APP_KEY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Named keys have codes above every code point. */
/* clang-format off */
#define KEY_NAME_LIST(X)   \
	X(ENTER,     "Enter")     \
	X(ESC,       "Esc")       \
	X(TAB,       "Tab")       \
	X(BACKSPACE, "Backspace") \
	X(DELETE,    "Del")       \
	X(INSERT,    "Insert")    \
	X(UP,        "Up")        \
	X(DOWN,      "Down")      \
	X(LEFT,      "Left")      \
	X(RIGHT,     "Right")     \
	X(HOME,      "Home")      \
	X(END,       "End")       \
	X(PAGE_UP,   "PgUp")      \
	X(PAGE_DOWN, "PgDn")      \
	X(F1,        "F1")        \
	X(F2,        "F2")        \
	X(F3,        "F3")        \
	X(F4,        "F4")        \
	X(F5,        "F5")        \
	X(F6,        "F6")        \
	X(F7,        "F7")        \
	X(F8,        "F8")        \
	X(F9,        "F9")        \
	X(F10,       "F10")       \
	X(F11,       "F11")       \
	X(F12,       "F12")

enum key_code {
	KEYCODE_NAMED = 0x110000,
#define KEY_ENUM(id, name) KEYCODE_##id,
	KEY_NAME_LIST(KEY_ENUM)
#undef KEY_ENUM
	KEYCODE_END_OF_NAMED
};
/* clang-format on */

enum key_mod {
	MOD_CTRL = 1,
	MOD_SHIFT = 2, /**< with named keys only: a shifted letter is another letter */
};

struct key {
	uint32_t code; /**< a code point, or of enum key_code */
	unsigned mods; /**< of enum key_mod */
};

bool key_equal(struct key a, struct key b);

/**
 * Read one key by name: `j`, `^R`, `<Down>`, `<S-Tab>`, `<C-Left>`, `<Space>`,
 * `<lt>` for the character `<`.
 *
 * @param text moved past the key and the blanks after it; never NULL.
 * @return false at the end of the text or when it is not a key; then `*text`
 *         stays where it was.
 */
bool key_parse(const char **text, struct key *out);

/** The name key_parse() reads, into `out`, which is returned; 16 bytes do. */
const char *key_text(struct key key, char *out, size_t size);

#endif
