/**
 * @file
 * Commands that start the engine, as found in a text: a script, Markdown, a unit of
 * systemd, a compose file, objects of Kubernetes, values of a Helm chart. Nothing of
 * them is judged here; import_vllm.c reads their flags.
 */
#ifndef LAUNCHES_H
#define LAUNCHES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cjson/cJSON.h>

#include "import/shell_words.h"
#include "import/yaml_tree.h"
#include "stepscope/status.h"

/** What a launch does beside another of the same model. */
enum launch_role { LAUNCH_ALONE, LAUNCH_PREFILL, LAUNCH_DECODE };

/** One variable of the environment, `NAME=VALUE`; owned. */
struct launch_setting {
	char *text;
	size_t line;
};

struct launch_settings {
	struct launch_setting *items;
	size_t count, capacity;
};

/** One command. Texts are owned. */
struct launch {
	char *name;  /**< of its container or service; "" when it has none */
	char *image; /**< "" when it has none */
	size_t line;
	struct shell_words words; /**< the server's arguments, all SHELL_WORD */
	cJSON *flags;             /**< arguments given as an object instead; NULL for none */
	struct launch_settings environment;
	size_t shared_count; /**< of the shared environment, what was set before it */
	int64_t gpus;        /**< of its container; 0: not stated */
	int64_t nodes;       /**< that one copy of it spans; 0: not stated */
	enum launch_role role;
	bool is_benchmark;  /**< a benchmark that starts the engine itself */
	bool is_other_node; /**< of the engine that an earlier launch starts */
	bool is_pool_open;  /**< `# pool I` stood before it */
};

/** A line that the exporter writes, `# set PATH=VALUE` or `# pool I`, or a remark of ours. */
struct launch_comment {
	char *text; /**< owned */
	size_t line;
	size_t before; /**< launches read before it */
	bool is_note;  /**< what a shell would have taken otherwise */
};

struct launches {
	struct launch *items;
	size_t count, capacity;
	struct launch_comment *comments;
	size_t comment_count, comment_capacity;
	struct launch_settings shared;    /**< exported for all that follow */
	struct shell_variables variables; /**< of all texts so far */
	struct launch_settings files;     /**< `NAME=TEXT` of here-documents written to files */
	char *last_comment;               /**< of a script, ahead of a command; may be NULL */
	bool is_exported;                 /**< the exporter's own lines are in it */
	unsigned depth;                   /**< of shells in shells */
};

/**
 * Find every launch of a text, whatever shape the text has.
 *
 * @param out `{ 0 }` before; free with launches_release(), on failure too.
 * @return SS_EUSAGE with the line in `err->where`; SS_ENOMEM.
 */
enum ss_status launches_read(struct launches *out, const char *text, size_t length,
			     struct ss_error *err);
void launches_release(struct launches *launches);

/** Is this YAML (or JSON) text an object of Kubernetes, a compose file or Helm values? */
bool launches_are_yaml(const char *text, size_t length);

/* -- for those who find launches ------------------------------------------------------- */

/** A launch under construction is its container's: what stands around the command. */
struct launch_frame {
	const char *name, *image; /**< "" for none */
	size_t line;
	int64_t gpus, nodes;
	enum launch_role role;
	bool is_other_node;
	const struct launch_setting *environment;
	size_t environment_count;
};

/** Read a script; its lines count on from `line`. `frame` may be NULL. */
enum ss_status launches_read_shell(struct launches *out, const char *text, size_t length,
				   size_t line, const struct launch_frame *frame,
				   struct ss_error *err);

/** Judge one command's words; adds a launch when it starts the engine. */
enum ss_status launches_take_words(struct launches *out, const struct shell_word *words,
				   size_t count, const struct launch_frame *frame,
				   struct ss_error *err);

/** Find the launches of YAML documents. */
enum ss_status launches_read_tree(struct launches *out, const struct tree_documents *documents,
				  struct ss_error *err);

/** Does a document look like one of those launches_read_tree() knows? */
bool launches_know_tree(const struct tree_documents *documents);

/** Append an empty launch of a frame; NULL when out of memory. */
struct launch *launches_add(struct launches *out, const struct launch_frame *frame);

/** Add a word to a launch; false when out of memory. */
bool launch_add_word(struct launch *launch, const char *text, size_t line);

bool launch_settings_add(struct launch_settings *settings, const char *text, size_t line);
void launch_settings_release(struct launch_settings *settings);

/** `NAME=VALUE`? */
bool launch_is_assignment(const char *word);

/** Role by a name such as `vllm-prefill-0`. */
enum launch_role launch_role_of(const char *name);

/** GPUs in `0,1,2,3`; 0 when it is no such list. */
int64_t launch_device_count(const char *list);

bool launch_is_shell(const char *program);

/** Does a launch's image name the engine's own server? */
bool launch_is_server_image(const char *image);

#endif
