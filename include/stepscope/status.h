/**
 * @file
 * What a call reports, and how the library's symbols are exported.
 */
#ifndef STEPSCOPE_STATUS_H
#define STEPSCOPE_STATUS_H

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__) || defined(__clang__)
#define SS_API __attribute__((visibility("default")))
#define SS_NODISCARD __attribute__((warn_unused_result))
#define SS_PRINTF(text, first) __attribute__((format(printf, text, first)))
#else
#define SS_API
#define SS_NODISCARD
#define SS_PRINTF(text, first)
#endif

/** How a call ended; anything but SS_OK is a failure. */
enum ss_status {
	SS_OK = 0,
	SS_ENOMEM,    /**< out of memory; nothing was changed */
	SS_EIO,       /**< a file could not be read or written */
	SS_EDOCUMENT, /**< a document is wrong; see the problems */
	SS_EREFUSED,  /**< no kernel for this deployment; see the problems */
	SS_EUSAGE,    /**< the call's words are wrong: a path, a value, a name */
};

/** The reason of a failure; untouched by a success. Holds nothing to free. */
struct ss_error {
	enum ss_status status;
	char where[128];   /**< field path, file or JSON pointer; may be empty */
	char message[256]; /**< one line, no newline, no full stop */
};

/**
 * Fill `err` (may be NULL) and return `status`, so that a failing call is one
 * `return`. Text past the arrays' ends is cut.
 */
SS_API enum ss_status ss_fail(struct ss_error *err, enum ss_status status, const char *where,
			      const char *format, ...) SS_PRINTF(4, 5);

#ifdef __cplusplus
}
#endif

#endif
