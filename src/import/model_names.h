/**
 * @file
 * Which model graph a repository name stands for.
 */
#ifndef MODEL_NAMES_H
#define MODEL_NAMES_H

#include <stdbool.h>
#include <stddef.h>

#include "stepscope/status.h"

struct model_match {
	const char *name; /**< borrowed from the names searched */
	/** Engine setting that the repository's format suffix stands for; "" for none. */
	const char *quantization;
	/** The suffix that the graph's name lacks, `-awq`; "" for none. */
	const char *suffix;
};

/**
 * Match `meta-llama/Llama-3.1-8B-Instruct`, a folder or a download cache's path with
 * one of `names`: without case, organisation or format suffix.
 *
 * @return SS_EUSAGE with the nearest names in the message when there is none or
 *         when several differ in their format alone.
 */
enum ss_status model_match(struct model_match *out, const char *repository,
			   const char *const *names, size_t count, struct ss_error *err);

#endif
