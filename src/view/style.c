#include "view/style.h"

static const struct style_row rows[STYLE_COUNT] = {
/* clang-format off */
#define STYLE_ROW(id, name_, mono_, mark_, f8, b8, a8, f256, b256, a256) \
	[STYLE_##id] = { .name = name_, .mono = mono_, .mark = mark_,     \
			 .eight = { f8, b8, a8 }, .rich = { f256, b256, a256 } },
	STYLE_LIST(STYLE_ROW)
#undef STYLE_ROW
	/* clang-format on */
};

const struct style_row *style_row(enum style_role role)
{
	return &rows[role < STYLE_COUNT ? role : STYLE_TEXT];
}

enum style_role style_series(int n)
{
	int i = n % STYLE_SERIES_COUNT;

	return (enum style_role)(STYLE_SERIES_1 + (i < 0 ? i + STYLE_SERIES_COUNT : i));
}
