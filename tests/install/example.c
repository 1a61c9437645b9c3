/*
 * A program of someone else: built with nothing but `pkg-config stepscope`
 * against an installed library. Prints the problems it collects.
 */
#include <stdio.h>

#include <stepscope/problems.h>
#include <stepscope/status.h>

int main(void)
{
	struct ss_problems problems = { 0 };
	size_t index = ss_problems_add(&problems, SS_REFUSAL, "X1", "", "/pools/0",
				       "%d does not divide %d", 3, 8);

	ss_problems_add_fix(&problems, index, "tp", "4", "");
	for (size_t i = 0; i < problems.count; i++)
		printf("%s %s: %s, try %s=%s\n", problems.items[i].code, problems.items[i].pointer,
		       problems.items[i].message, problems.items[i].fixes[0].path,
		       problems.items[i].fixes[0].value);
	ss_problems_release(&problems);
	return 0;
}
