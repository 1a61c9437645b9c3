/**
 * @file
 * Which model graph a name stands for: a repository's, a hub's address, a folder's.
 */
#ifndef STEPSCOPE_MODEL_NAMES_H
#define STEPSCOPE_MODEL_NAMES_H

#include <stddef.h>
#include <stdint.h>

#include "stepscope/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/** How repositories spell the format of their weights, at the end of a name. */
struct ss_name_format {
	char *suffix;       /**< `-awq` */
	char *quantization; /**< engine setting that serves a 16-bit graph so; "" for none */
};

/** A name and the graph of its shape. */
struct ss_name_alias {
	char *name;            /**< without organisation and format */
	char *graph;           /**< name in `models` */
	char *why;             /**< what is known to be alike, with what differs */
	int64_t max_model_len; /**< its own context window; 0: the graph's */
};

/** The registry's `model-names.json`: how names become graphs. */
struct ss_model_names {
	struct ss_name_format *formats;
	size_t format_count;
	char **words; /**< parts of a name that change no width: `instruct` */
	size_t word_count;
	struct ss_name_alias *aliases;
	size_t alias_count;
};

SS_API void ss_model_names_free(struct ss_model_names *names);

#define SS_MATCH_TEXT 320

struct ss_model_match {
	const char *graph; /**< borrowed from the graphs searched */
	/** Engine setting that the name's format stands for; "" for none. Borrowed. */
	const char *quantization;
	/** The suffix that the graph's name lacks, `-awq`; "" for none. Borrowed. */
	const char *suffix;
	int64_t max_model_len; /**< the window of the model named; 0: the graph's */
	/** Why this graph: "same shape as ..."; "" when its own name was given. */
	char reason[SS_MATCH_TEXT];
};

/** No graph, and no text that is NULL. */
SS_API void ss_model_match_none(struct ss_model_match *out);

/**
 * Match `meta-llama/Llama-3.1-8B-Instruct`, `https://huggingface.co/...`, a folder or a
 * download cache's path with one of `graphs`: without case, organisation or format suffix,
 * then by the table of names.
 *
 * @param table NULL: the graphs' own names alone.
 * @return SS_EUSAGE with the graphs nearest by family and size in the message when there is
 *         none, or when several differ in their format alone.
 */
SS_API enum ss_status ss_model_match(struct ss_model_match *out, const char *text,
				     const struct ss_model_names *table, const char *const *graphs,
				     size_t count, struct ss_error *err);

/** "a, b, c": up to three graphs nearest to a name, by family, then by size. */
SS_API void ss_model_nearest(char *out, size_t size, const char *text, const char *const *graphs,
			     size_t count);

#ifdef __cplusplus
}
#endif

#endif
