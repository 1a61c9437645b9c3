/*
 * Included ahead of every source by the build. The calls below write past
 * their target, hide a failure or keep hidden state; naming one is an error.
 * The headers come first, since they declare what is banned afterwards, and
 * the names are undefined because a hardened libc makes macros of some.
 */
#ifndef STEPSCOPE_BANNED_H
#define STEPSCOPE_BANNED_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#undef strcpy
#undef strcat
#undef sprintf
#undef vsprintf
#undef atoi
#undef atol
#undef atoll
#undef atof
#undef strtok

#pragma GCC poison strcpy strcat sprintf vsprintf atoi atol atoll atof strtok

#endif
