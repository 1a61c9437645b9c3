#include "price/host.h"

#include <strings.h>

static const struct {
	const char *name;
	enum ss_graph uniform, other;
} modes[] = {
#define GRAPH_MODE_ROW(id, name, uniform, other) { name, SS_GRAPH_##uniform, SS_GRAPH_##other },
	GRAPH_MODES(GRAPH_MODE_ROW)
#undef GRAPH_MODE_ROW
};

const char *graph_mode_name(enum graph_mode mode)
{
	return mode < GRAPH_MODE_COUNT ? modes[mode].name : "";
}

enum graph_mode graph_mode_find(const char *name)
{
	int i = 0;

	while (i < GRAPH_MODE_COUNT && strcasecmp(name, modes[i].name) != 0)
		i++;
	return (enum graph_mode)i;
}

bool graph_mode_has_full_decode(enum graph_mode mode)
{
	return mode < GRAPH_MODE_COUNT && modes[mode].uniform == SS_GRAPH_FULL;
}

enum ss_graph graph_choose(enum graph_mode mode, bool is_uniform_decode, int64_t tokens,
			   int64_t ceiling)
{
	if (mode >= GRAPH_MODE_COUNT || tokens > ceiling)
		return SS_GRAPH_EAGER;
	return is_uniform_decode ? modes[mode].uniform : modes[mode].other;
}

/* Where the grid's step grows, and the steps on either side. */
enum { GRID_FINE = 8, GRID_KNEE = 256, GRID_COARSE = 16 };

int64_t grid_floor(int64_t n)
{
	if (n < 1)
		return 0;
	if (n < 2)
		return 1;
	if (n < GRID_FINE)
		return n < 4 ? 2 : 4;
	return n - n % (n < GRID_KNEE ? GRID_FINE : GRID_COARSE);
}

int64_t grid_next(int64_t n)
{
	int64_t at = grid_floor(n);

	if (at < 1)
		return 1;
	if (at < GRID_FINE)
		return at * 2;
	return at + (at < GRID_KNEE ? GRID_FINE : GRID_COARSE);
}
