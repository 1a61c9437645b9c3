#include "config.h"

#include <stdio.h>
#include <string.h>

int main(int argc, char **argv)
{
	if (argc == 2 && !strcmp(argv[1], "--version")) {
		(void)puts(PACKAGE_STRING);
		return 0;
	}
	(void)fputs("usage: stepscope --version\n", stderr);
	return 2;
}
