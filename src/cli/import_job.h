/**
 * @file
 * `import` under way: what every kind of source shares.
 */
#ifndef IMPORT_JOB_H
#define IMPORT_JOB_H

#include <stdbool.h>
#include <stddef.h>

#include "import/import_blis.h"
#include "import/import_source.h"
#include "import/import_vllm.h"
#include "cli/run.h"

struct import_job {
	struct batch *batch;
	struct session session; /**< its registry alone */
	const char *folder;     /**< where documents go; NULL: they are printed */
	struct doc *doc;        /**< lists and tables */
	cJSON *documents, *flags, *figures, *differences, *written, *weights;
	char **models; /**< graphs there are */
	size_t model_count;
	char **fabrics; /**< networks there are */
	size_t fabric_count;
	struct ss_problems problems;
	struct ss_error err;
	struct xbuf printed;            /**< documents that go to standard output */
	struct adhoc_defaults defaults; /**< of the part named */
	bool is_refused;                /**< a deployment breaks a rule */
};

/** Each returns SS_OK or why it failed, with problems (or `err`) filled. */
enum ss_status job_command(struct import_job *job, const struct source *source);
enum ss_status job_log(struct import_job *job, const struct source *source);
enum ss_status job_config(struct import_job *job, const struct source *source);
enum ss_status job_yaml(struct import_job *job, const struct sources *sources);

/** Options of a scenario import from the command line; release with job_options_release(). */
enum ss_status job_options(struct import_job *job, struct vllm_import_options *out,
			   const char *file);
void job_options_release(struct vllm_import_options *options);

/** Apply `--set`, check the rules, list the flags and keep a scenario. */
enum ss_status job_keep_scenario(struct import_job *job, struct ss_scenario *scenario);
void job_list_flags(struct import_job *job, const struct import_rows *rows);

/**
 * Keep a document: check it as any reader would, then write or print it.
 *
 * @param origin  names places of the source in problems; may be NULL.
 */
enum ss_status job_keep(struct import_job *job, enum ss_document_kind kind, const char *name,
			const char *json, const struct blis_document *origin, const char *file);

#endif
