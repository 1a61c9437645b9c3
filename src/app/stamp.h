/*
 * What tells a file from what it was.
 */
#ifndef APP_STAMP_H
#define APP_STAMP_H

#include <stdbool.h>

struct store_stamp {
	bool exists;
	long long size, seconds, nanoseconds, inode;
};

struct store_stamp store_stamp(const char *path);
bool store_stamp_equal(const struct store_stamp *a, const struct store_stamp *b);

#endif
