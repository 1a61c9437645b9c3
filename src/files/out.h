/**
 * @file
 * The one way a file is written: beside its place under a name nobody can guess,
 * flushed to the disk, and renamed. What was there stays whole until what is new is.
 * A symbolic link stays one, its file is written; a device or a pipe is written into.
 */
#ifndef FILES_OUT_H
#define FILES_OUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "stepscope/status.h"

enum file_how {
	FILE_REPLACE = 1 << 0, /**< a file that holds something may be written over */
	FILE_PRIVATE = 1 << 1, /**< readable by the user alone */
	FILE_QUICK = 1 << 2,   /**< do not wait for the disk */
	FILE_NO_WAIT = 1 << 3, /**< nor for somebody to read a pipe */
};

/** A file being written. All fields are the module's but `stream`. */
struct file_out {
	FILE *stream; /**< where to write; its error flag is looked at in the end */
	unsigned how; /**< of enum file_how */
	char *path;   /**< the file itself, links followed */
	char *folder; /**< the folder it lies in */
	char *beside; /**< its name until it is whole; NULL: written through */
	bool is_new;  /**< nothing was there */
};

/**
 * Would the file be written? Says what stands against it before anything is worked out.
 *
 * @param how of enum file_how.
 */
SS_NODISCARD enum ss_status file_out_check(const char *path, unsigned how, struct ss_error *err);

/** Refuse to write what is read: `path` and `input` must not be one regular file. */
SS_NODISCARD enum ss_status file_out_spares(const char *path, const char *input,
					    struct ss_error *err);

/** Begin a file; close it whatever happens, unless this fails. */
SS_NODISCARD enum ss_status file_out_open(struct file_out *out, const char *path, unsigned how,
					  struct ss_error *err);

/** Put the file in its place, or, on any failure, leave what was there. */
SS_NODISCARD enum ss_status file_out_close(struct file_out *out, struct ss_error *err);

/** Leave what was there. */
void file_out_drop(struct file_out *out);

/** All of it in one call. */
SS_NODISCARD enum ss_status file_write(const char *path, const char *text, size_t len, unsigned how,
				       struct ss_error *err);

#endif
