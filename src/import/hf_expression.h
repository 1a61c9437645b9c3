/**
 * @file
 * Figures of a `config.json` by expressions, so that architectures are rows of text.
 *
 * A name is a definition of the architecture, a common definition, or a key of the
 * configuration (`a.b` is nested; a list gives the item of the layer at hand). `l` is
 * that layer, `block` the part of it being made. `a ?? b` is b where a is not stated;
 * `c ? a : b`, `||`, `&&`, `!`, comparisons, `+ - * / %` are as in C on whole numbers;
 * 'text' is compared with == and !=. Functions: has(a), in(a, list), letter(text, a),
 * letters(text), length(list), item(list, a), least(a, b), most(a, b), up(a, step), and
 * real(a) where keys may be fractions.
 */
#ifndef HF_EXPRESSION_H
#define HF_EXPRESSION_H

#include <stdbool.h>
#include <stdint.h>

#include "import/hf_config.h"

enum hf_kind {
	HF_ABSENT,
	HF_COUNT,
	HF_TEXT,
};

/** Value of an expression: a count, or a text cut to `size`. */
enum hf_kind hf_value(struct hf *h, const char *expression, int64_t *count, char *out, size_t size);
/** Value of an expression; 0 with a problem that names the first missing key. */
int64_t hf_need(struct hf *h, const char *expression);
/** The same, `fallback` when a key it needs is not stated. */
int64_t hf_count(struct hf *h, const char *expression, int64_t fallback);
/** Does it hold? What is not stated does not. */
bool hf_holds(struct hf *h, const char *expression);
/** Text of an expression, cut to `size`; false and "" where it has none. */
bool hf_text(struct hf *h, char *out, size_t size, const char *expression);

#endif
