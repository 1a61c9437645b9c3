/**
 * @file
 * JSON going out: cJSON objects that end the program when memory runs out, whose
 * numbers bring the same double back, and whose keys are sorted.
 */
#ifndef REPORT_JSON_H
#define REPORT_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cjson/cJSON.h>

#include "text/xbuf.h"

cJSON *json_object(void);
cJSON *json_array(void);
/** A number at full precision; null when it is not finite. */
cJSON *json_number(double number);
cJSON *json_count(int64_t count);

/** Put `item` under `key` (or at the end of an array when `key` is NULL); `item` is taken over. */
void json_put(cJSON *parent, const char *key, cJSON *item);
void json_put_text(cJSON *parent, const char *key, const char *text);
/** "" becomes null. */
void json_put_text_or_null(cJSON *parent, const char *key, const char *text);
void json_put_number(cJSON *parent, const char *key, double number);
void json_put_count(cJSON *parent, const char *key, int64_t count);
void json_put_bool(cJSON *parent, const char *key, bool fact);
void json_put_null(cJSON *parent, const char *key);

/** Sort the keys of every level and print, with a newline at the end. */
void json_print(struct xbuf *out, cJSON *root);

/** A JSON string with its quotes. */
void json_quote(struct xbuf *out, const char *text);

#endif
