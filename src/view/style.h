/*
 * What a cell means, and how each meaning looks. The rest of the view names a
 * role; only the terminal module turns a look into attributes.
 */
#ifndef VIEW_STYLE_H
#define VIEW_STYLE_H

enum style_attr {
	ATTR_BOLD = 1,
	ATTR_REVERSE = 2,
	ATTR_UNDERLINE = 4,
	ATTR_DIM = 8, /**< a nicety: never the only sign of a meaning */
};

/** How a role is drawn at one depth of colour; -1 is the terminal's own. */
struct style_look {
	short fg, bg;
	unsigned attrs; /**< of enum style_attr */
};

struct style_row {
	const char *name;
	unsigned mono; /**< attributes without colours */
	char mark;     /**< character that carries it, or 0 */
	struct style_look eight;
	struct style_look rich; /**< of 256 colours, readable on light and dark */
};

/*
 * id, name, mono, mark, 8 colours (fg, bg, attrs), 256 colours (fg, bg, attrs).
 * A role without mono attributes is only ever drawn with its mark, so that
 * it can be told apart without colours. Backgrounds are the terminal's own
 * but in reverse; the 256-colour foregrounds have middling lightness.
 */
/* clang-format off */
#define STYLE_LIST(X)                                                                      \
	X(TEXT,       "text",       0,                             0,   -1, -1, 0,              -1, -1, 0)              \
	X(HEADER,     "header",     ATTR_BOLD,                     0,   -1, -1, ATTR_BOLD,      -1, -1, ATTR_BOLD)      \
	X(LEAD,       "lead",       ATTR_BOLD | ATTR_UNDERLINE,    0,    6, -1, ATTR_BOLD,      32, -1, ATTR_BOLD)      \
	X(STALE,      "stale",      ATTR_UNDERLINE,                0,   -1, -1, ATTR_DIM,      244, -1, 0)              \
	X(FAINT,      "faint",      0,                             '.', -1, -1, ATTR_DIM,      244, -1, 0)              \
	X(BORDER,     "border",     0,                             '-', -1, -1, 0,             244, -1, 0)              \
	X(TITLE,      "title",      ATTR_BOLD,                     0,   -1, -1, ATTR_BOLD,      -1, -1, ATTR_BOLD)      \
	X(TITLE_FOCUS, "title-focus", ATTR_BOLD | ATTR_REVERSE,    0,    6, -1, ATTR_BOLD | ATTR_REVERSE, 32, -1, ATTR_BOLD | ATTR_REVERSE) \
	X(SECTION,    "section",    ATTR_BOLD,                     0,    6, -1, ATTR_BOLD,      32, -1, ATTR_BOLD)      \
	X(COLUMN,     "column",     ATTR_UNDERLINE,                0,    6, -1, ATTR_UNDERLINE, 32, -1, ATTR_UNDERLINE) \
	X(SELECTED,   "selected",   ATTR_REVERSE,                  '>', -1, -1, ATTR_REVERSE,   -1, -1, ATTR_REVERSE)   \
	X(SELECTED_AWAY, "selected-away", ATTR_BOLD,               '>', -1, -1, ATTR_BOLD,      -1, -1, ATTR_BOLD)      \
	X(MATCH,      "match",      ATTR_REVERSE | ATTR_UNDERLINE, 0,    3, -1, ATTR_REVERSE,  136, -1, ATTR_REVERSE)   \
	X(ASSUMED,    "assumed",    ATTR_UNDERLINE,                '~',  5, -1, 0,             133, -1, 0)              \
	X(OVERRIDDEN, "overridden", ATTR_BOLD,                     '!',  1, -1, 0,             166, -1, 0)              \
	X(CHANGED,    "changed",    ATTR_BOLD,                     '*',  6, -1, ATTR_BOLD,      37, -1, ATTR_BOLD)      \
	X(REFUSED,    "refused",    ATTR_BOLD | ATTR_REVERSE,      'x',  1, -1, ATTR_BOLD,     160, -1, ATTR_BOLD)      \
	X(WARN,       "warn",       ATTR_BOLD,                     '!',  1, -1, 0,             166, -1, ATTR_BOLD)      \
	X(ERROR,      "error",      ATTR_BOLD | ATTR_REVERSE,      0,    1, -1, ATTR_BOLD | ATTR_REVERSE, 160, -1, ATTR_BOLD | ATTR_REVERSE) \
	X(GOOD,       "good",       ATTR_BOLD,                     0,    2, -1, ATTR_BOLD,      64, -1, ATTR_BOLD)      \
	X(WORSE,      "worse",      ATTR_BOLD,                     '+',  1, -1, 0,             160, -1, 0)              \
	X(BETTER,     "better",     ATTR_BOLD,                     '-',  2, -1, 0,              64, -1, 0)              \
	X(KEY,        "key",        ATTR_BOLD,                     0,    6, -1, ATTR_BOLD,      32, -1, ATTR_BOLD)      \
	X(PROMPT,     "prompt",     ATTR_BOLD,                     ':', -1, -1, ATTR_BOLD,      -1, -1, ATTR_BOLD)      \
	X(CAPTION,    "caption",    ATTR_REVERSE,                  0,    6, -1, ATTR_REVERSE,   32, -1, ATTR_REVERSE)   \
	X(BAR,        "bar",        0,                             '#',  6, -1, 0,              32, -1, 0)              \
	X(SERIES_1,   "series-1",   0,                             '*',  6, -1, 0,              32, -1, 0)              \
	X(SERIES_2,   "series-2",   0,                             'o',  5, -1, 0,             133, -1, 0)              \
	X(SERIES_3,   "series-3",   0,                             '+',  2, -1, 0,              64, -1, 0)              \
	X(SERIES_4,   "series-4",   0,                             'x',  1, -1, 0,             166, -1, 0)              \
	X(SERIES_5,   "series-5",   0,                             '#',  3, -1, 0,             136, -1, 0)              \
	X(SERIES_6,   "series-6",   0,                             '@',  4, -1, 0,              61, -1, 0)              \
	X(CROSSHAIR,  "crosshair",  ATTR_BOLD | ATTR_REVERSE,      0,    6, -1, ATTR_BOLD | ATTR_REVERSE, 37, -1, ATTR_BOLD | ATTR_REVERSE)

enum style_role {
#define STYLE_ENUM(id, ...) STYLE_##id,
	STYLE_LIST(STYLE_ENUM)
#undef STYLE_ENUM
	STYLE_COUNT
};
/* clang-format on */

#define STYLE_SERIES_COUNT 6

/** One row of the table; borrowed, never NULL for a role below STYLE_COUNT. */
const struct style_row *style_row(enum style_role role);

/** The role of the n-th series or bar segment, round and round. */
enum style_role style_series(int n);

#endif
