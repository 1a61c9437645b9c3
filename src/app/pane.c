#include "app/pane.h"

#include <strings.h>

static const struct pane_row rows[PANE_ALL] = {
#define PANE_ROW(id, key_, name_, is_wide_, where_) [PANE_##id] = { key_, name_, is_wide_, where_ },
	PANE_LIST(PANE_ROW)
#undef PANE_ROW
		[PANE_DEPLOYMENT] = { '\0', "Deployment", false, ACTION_DEPLOYMENT },
};

const struct pane_row *pane_row(enum pane_id id)
{
	return &rows[id];
}

enum pane_id pane_by_name(const char *name)
{
	int id = 0;

	while (id < PANE_ALL && strcasecmp(rows[id].name, name) != 0 &&
	       (name[0] != rows[id].key || !name[0] || name[1]))
		id++;
	return (enum pane_id)id;
}

enum pane_id pane_of_action(enum action_id action)
{
	char key[16];

	action_key_name(action, key, sizeof(key));
	for (int id = 0; id < PANE_COUNT; id++) {
		if (key[0] == rows[id].key && !key[1])
			return (enum pane_id)id;
	}
	return PANE_ALL;
}
