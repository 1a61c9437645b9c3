/**
 * @file
 * The figures of a start-up log beside ours.
 */
#ifndef LOG_TABLE_H
#define LOG_TABLE_H

#include <stdbool.h>
#include <stddef.h>

#include "import/import_log.h"
#include "stepscope/kernel.h"

/** One line of the table. */
struct log_row {
	enum log_id id;
	size_t line;         /**< of the log; 0: not in the log */
	char rank[48];       /**< when ranks differ; "" otherwise */
	char logged[80];     /**< "not in the log" when it is missing */
	char ours[80];       /**< "" where nothing of ours answers to it */
	char difference[48]; /**< logged less ours; "0" when they agree; "" without a number */
	bool has_numbers;
	double logged_value, ours_value, difference_value;
	bool differs;
	/** Name of ours that the difference would have to come from, as in the JSON; "". */
	const char *term;
};

/** Most rows of a table: every figure of 64 ranks. */
#define LOG_ROWS_MAX (LOG_COUNT * 64)

/**
 * Compare. Figures that every start-up prints have a row even when this log lacks
 * them; ranks that differ have one each.
 *
 * @param kernel of the pool the log is of; NULL when it was refused: then nothing is
 *               ours.
 * @return how many rows were made, at most LOG_ROWS_MAX.
 */
size_t log_compare(struct log_row *rows, const struct serve_log *log,
		   const struct ss_kernel *kernel);

#define LOG_REMARKS_MAX 8
#define LOG_REMARK_SIZE 240

/**
 * What the figures say beside ours: which rank decides, and where they contradict each
 * other.
 *
 * @param lines LOG_REMARKS_MAX of them.
 * @return how many were filled.
 */
size_t log_remarks(char (*lines)[LOG_REMARK_SIZE], const struct serve_log *log,
		   const struct ss_kernel *kernel);

#endif
