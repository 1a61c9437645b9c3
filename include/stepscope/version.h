/**
 * @file
 * Which library this is, for programs that load it when they run.
 */
#ifndef STEPSCOPE_VERSION_H
#define STEPSCOPE_VERSION_H

#include <stddef.h>

#include "stepscope/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/** `0.2.0`; static. */
SS_API const char *ss_version(void);

/**
 * Bytes of a struct of these headers, by its name without `ss_`: a binding that lays
 * structs out by itself compares them before it calls. 0: no such name.
 */
SS_API size_t ss_type_size(const char *name);

#ifdef __cplusplus
}
#endif

#endif
