/**
 * @file
 * Running a command: what all of them share, and the commands themselves.
 */
#ifndef CLI_RUN_H
#define CLI_RUN_H

#include <stdbool.h>
#include <stdio.h>

#include "files/out.h"
#include "text/xbuf.h"
#include "case/findings.h"
#include "case/session.h"
#include "cli/arguments.h"
#include "report/printout.h"
#include "report/json.h"
#include "stepscope/problems.h"

/** What the program ends with. */
enum exit_status {
	EXIT_PRICED = 0,
	EXIT_REFUSED = 1,  /**< refused, or a check failed */
	EXIT_USAGE = 2,    /**< the command line */
	EXIT_DOCUMENT = 3, /**< a document is wrong */
	EXIT_FAILED = 4,   /**< out of memory or I/O */
};

/** A command being run. */
struct batch {
	struct arguments *arguments;
	FILE *out;            /**< NULL: not opened yet, see batch_out() */
	const char *out_name; /**< NULL: standard output */
	struct file_out file; /**< what `out` writes, once it is the file of that name */
	bool use_color;
};

/**
 * Run what the arguments name; without a command, the report.
 *
 * @return the exit status.
 */
int batch_run(struct arguments *arguments);

/** Say on stderr (and, with JSON, on stdout) why the line was not understood. */
int batch_bad_usage(const struct arguments *arguments, const struct ss_error *err);

/** Say what a failed call left: problems, else `err`. Returns the exit status for `rc`. */
int batch_fail(struct batch *batch, enum ss_status rc, const struct ss_problems *problems,
	       const struct ss_error *err);

/** Is a file among them that could not be read? Then the status is EXIT_FAILED. */
bool batch_is_unread(const struct ss_problems *problems);

/** Text on standard output, for what needs no command. */
int batch_print_text(const struct xbuf *text);

/** Flush standard output; a failure, of this or an earlier write, is said. */
int batch_flush(void);

/** One line on stderr for each problem of a severity. */
void batch_say_problems(const struct ss_problems *problems, enum ss_severity severity);

/** One line on stderr for each problem of documents as they stand, worst first. */
void batch_say_document(const struct ss_problems *problems);
/** The `error` object of problems of one severity: `refused` refusals, else errors. */
cJSON *batch_error_json(const char *kind, const struct ss_problems *problems);

/** Every problem as a list, each with its severity. */
cJSON *batch_problems_json(const struct ss_problems *problems);

/** Gather a session's findings; 0 or a status. Release them whatever is returned. */
int batch_findings(struct batch *batch, struct findings *findings, const struct session *session);

/** Open the session the arguments describe, `name` (or none) being the scenario; 0 or a status. */
int batch_open(struct batch *batch, struct session *session, const char *name);

/** The same without resolving it: a sweep resolves every row by itself. */
int batch_open_unresolved(struct batch *batch, struct session *session, const char *name);

/** The scenario named on the line; NULL when none is. */
const char *batch_scenario(const struct batch *batch);

/** Does each table of CSV go into a file of its own? */
bool batch_goes_to_folder(const struct batch *batch);

/** Print a document in the format asked for (not JSON). Takes `doc` over. */
int batch_print(struct batch *batch, struct doc *doc);
/** Print and free JSON. */
int batch_print_json(struct batch *batch, cJSON *root);
/** Print text as it is. */
int batch_write(struct batch *batch, const struct xbuf *text);

/** Refuse to write over what the command reads. */
SS_NODISCARD enum ss_status batch_spares_inputs(const struct batch *batch, const char *path,
						struct ss_error *err);

/** Where the checkpoint of a graph is, as the graph's file says; "" when it does not. */
void batch_repository(struct xbuf *out, const struct session *session);

/** How files are written here: enum file_how. */
unsigned batch_how(const struct batch *batch);

/** Where output goes; NULL, with errno set, when the file cannot be opened. */
FILE *batch_out(struct batch *batch);

bool batch_is_json(const struct batch *batch);

int run_report(struct batch *batch);
int run_price(struct batch *batch);
int run_resolve(struct batch *batch);
int run_provenance(struct batch *batch);
int run_evidence(struct batch *batch);
int run_walk(struct batch *batch);
int run_memory(struct batch *batch);
int run_layers(struct batch *batch);
int run_kernels(struct batch *batch);
int run_model(struct batch *batch);
int run_sensitivity(struct batch *batch);
int run_sweep(struct batch *batch);
int run_merge(struct batch *batch);
int run_compare(struct batch *batch);
int run_fit(struct batch *batch);
int run_serve(struct batch *batch);
int run_plan(struct batch *batch);
int run_score(struct batch *batch);
int run_engine(struct batch *batch);
int run_import(struct batch *batch);
int run_audit(struct batch *batch);
int run_export(struct batch *batch);
int run_validate(struct batch *batch);
int run_list(struct batch *batch);
int run_new(struct batch *batch);
int run_tour(struct batch *batch);
int run_help(struct batch *batch);
int run_divergences(struct batch *batch);

#endif
