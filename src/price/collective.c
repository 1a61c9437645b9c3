#include "price/collective.h"

int collective_width(const int *present, size_t count, int wanted)
{
	int narrowest = 0;
	int widest = 0;

	for (size_t i = 0; i < count; i++) {
		if (present[i] == wanted)
			return wanted;
		if (!narrowest || present[i] < narrowest)
			narrowest = present[i];
		if (present[i] > widest)
			widest = present[i];
	}
	if (wanted <= narrowest)
		return narrowest;
	return wanted > COLLECTIVE_MEASURED_MAX ? widest : 0;
}
