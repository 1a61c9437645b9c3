/* Lines of the releases, and how a text fits them. */
#include "import/log_forms.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BYTES_OF_GIB 1073741824.0

/* clang-format off */
/*
 * What the releases print. `%n` a number, `%u` its unit (GiB, GB, MiB or bytes; the number
 * before it is turned into GiB), `%b` bytes turned into GiB, `%w` a word, `%t` some text,
 * `%*` anything, `%i` a number of no interest; a blank stands for one or more. First number
 * is the value, the next the second. A form begins with two plain characters.
 */
static const struct {
	enum log_id id;
	const char *form;
} forms[] = {
	{ LOG_VERSION,       "vLLM API server version %w" },
	{ LOG_VERSION,       "LLM engine (v%w with config" },
	{ LOG_VERSION,       "LLM engine (v%w)" },
	{ LOG_LOADING,       "Model loading took %n %u" },
	{ LOG_LOADING,       "Loading model weights took %n %u" },
	{ LOG_AVAILABLE,     "Available KV cache memory: %n %u" },
	{ LOG_AVAILABLE,     "the rest of the memory reserved for KV Cache is %n%u" },
	{ LOG_AVAILABLE,     "available_kv_cache_memory %n%u" },
	{ LOG_AVAILABLE,     "available_kv_cache_memory=%n%u" },
	{ LOG_AVAILABLE,     "kv_cache_size=%n%u" },
	{ LOG_AVAILABLE,     "larger than the available KV cache memory (%n %u)" },
	{ LOG_KV_TOKENS,     "GPU KV cache size: %n tokens" },
	{ LOG_BLOCKS,        "# GPU blocks: %n," },
	{ LOG_BLOCKS,        "# cuda blocks: %n," },
	{ LOG_CPU_BLOCKS,    "# CPU blocks: %n" },
	{ LOG_CONCURRENCY,   "Maximum concurrency for %n tokens per request: %nx" },
	{ LOG_BLOCK_SIZE,    "Setting attention block size to %n tokens" },
	{ LOG_MAMBA_PADDING, "Padding mamba page size by %n%" },
	{ LOG_BUDGET,        "Chunked prefill is enabled with max_num_batched_tokens=%n" },
	{ LOG_GRAPHS,        "Graph capturing finished in %i secs, took %n %u" },
	{ LOG_GRAPHS,        "CUDA graph pool memory: %n %u (actual)" },
	{ LOG_GRAPHS,        "non-torch memory, and %n %u for CUDAGraph memory" },
	{ LOG_GRAPHS,        "peak activation, and %n %u for CUDAGraph memory" },
	{ LOG_ESTIMATED,     "Estimated CUDA graph memory: %n %u" },
	{ LOG_ESTIMATED,     "(actual), %n %u (estimated)" },
	{ LOG_ATTENTION,     "Using %w attention backend" },
	{ LOG_ATTENTION,     "Using AttentionBackendEnum.%w backend" },
	{ LOG_ATTENTION,     "Using %t backend on V1 engine" },
	{ LOG_MOE,           "Using %t MoE backend" },
	{ LOG_MOE,           "Using %t backend for%*MoE" },
	{ LOG_GRAPH_MODE,    "CUDAGraphMode.%w is not supported%*setting cudagraph_mode=%w" },
	{ LOG_NEEDED,        ", (%n %u KV cache is needed%*available KV cache memory (%n %u)" },
	{ LOG_MAX_LENGTH,    "estimated maximum model length is %n" },
	{ LOG_MAX_LENGTH,    "maximum number of tokens that can be stored in KV cache (%n)" },
	{ LOG_MODEL_LENGTH,  "Using max model len %n" },
	{ LOG_FREE,          "Free memory on device (%n/%n %u)" },
	{ LOG_FREE,          "Free memory on device cuda:%i (%n/%n %u)" },
	{ LOG_TOTAL,         "can use total_gpu_memory (%n%u)" },
	{ LOG_TOTAL,         "total_gpu_memory %n%u" },
	{ LOG_TOTAL,         "total_gpu_memory=%n%u" },
	{ LOG_TOTAL,         "has a total capacity of %n %u" },
	{ LOG_UTILIZATION,   "x gpu_memory_utilization (%n)" },
	{ LOG_UTILIZATION,   "esired GPU memory utilization is (%n," },
	{ LOG_UTILIZATION,   "esired GPU memory utilization (%n," },
	{ LOG_REQUESTED,     "x gpu_memory_utilization (%i) = %n%u" },
	{ LOG_REQUESTED,     "the current vLLM instance can use %n%u" },
	{ LOG_REQUESTED,     "esired GPU memory utilization is (%i, %n %u)" },
	{ LOG_REQUESTED,     "esired GPU memory utilization (%i, %n %u)" },
	{ LOG_EQUIVALENT,    "is equivalent to --gpu-memory-utilization=%n without" },
	{ LOG_WEIGHTS,       "model weights take %n%u" },
	{ LOG_WEIGHTS,       "Actual usage is %n %u for weight" },
	{ LOG_CONSUMED,      "Actual usage is %n %u for consumed memory" },
	{ LOG_NON_TORCH,     "non_torch_memory takes %n%u" },
	{ LOG_NON_TORCH,     "non_torch_memory %n%u" },
	{ LOG_NON_TORCH,     "non_torch_memory=%n%u" },
	{ LOG_NON_TORCH,     "peak activation, %n %u for non-torch memory" },
	{ LOG_ACTIVATION,    "PyTorch activation peak memory takes %n%u" },
	{ LOG_ACTIVATION,    "PyTorch activation peak memory %n%u" },
	{ LOG_ACTIVATION,    "for weight, %n %u for peak activation" },
	{ LOG_ACTIVATION,    "(weights + non-torch), %n %u for peak activation" },
	{ LOG_PEAK,          "peak_torch_memory=%n%u" },
	{ LOG_INITIAL_FREE,  "Initial free memory %n %u" },
	{ LOG_RESERVED,      "reserved %n %u memory for KV Cache as specified by" },
	{ LOG_IN_USE,        "Current kv cache memory in use is %n %u" },
	{ LOG_TO_FIT,        "config with `--kv-cache-memory=%b`" },
	{ LOG_TO_FILL,       "requested memory, or `--kv-cache-memory=%b`" },
	{ LOG_NATURAL,       "Overriding num_gpu_blocks=%n with" },
	{ LOG_OVERRIDE,      "Overriding num_gpu_blocks=%i with num_gpu_blocks_override=%n" },
	{ LOG_PADDING,       "Add %n padding layers, may waste at most %n%" },
	{ LOG_CAPPED,        "capture sizes from max %i to %n to fit" },
	{ LOG_OUT_OF_MEMORY, "Tried to allocate %n %u" },
	{ LOG_LEFT,          "of which %n %u is free" },
	{ LOG_NO_BLOCKS,     "No available memory for the cache blocks" },
	{ LOG_STATE_BLOCKS,  "max_num_seqs (%n) exceeds available Mamba cache blocks (%n)" },
	{ LOG_READ_TIME,     "Loading weights took %n seconds" },
	{ LOG_LOAD_TIME,     "Model loading took %i %u and %n seconds" },
	{ LOG_LOAD_TIME,     "Model loading took %i %u memory and %n seconds" },
	{ LOG_PROFILE_TIME,  "Memory profiling takes %n seconds" },
	{ LOG_COMPILE_TIME,  "torch.compile took %n s in total" },
	{ LOG_COMPILE_TIME,  "torch.compile takes %n s in total" },
	{ LOG_CAPTURE_TIME,  "Graph capturing finished in %n secs" },
	{ LOG_START_TIME,    "init engine (%*) took %n s" },
};
/* clang-format on */

#define FORM_COUNT (sizeof(forms) / sizeof(forms[0]))

_Static_assert(FORM_COUNT <= LOG_FORM_MAX, "an index fits a byte");

/** A number with thousands apart by commas; a full stop at its end is not part of it. */
static size_t number_length(const char *text, double *value)
{
	char digits[48];
	size_t at = 0, n = 0;

	while (n < sizeof(digits) - 1) {
		char c = text[at];
		bool has_next = c && isdigit((unsigned char)text[at + 1]);

		if (isdigit((unsigned char)c) || (c == '.' && n && has_next) ||
		    (c == '-' && !at && has_next))
			digits[n++] = c;
		else if (c != ',' || !n || !has_next)
			break;
		at++;
	}
	digits[n] = '\0';
	if (!n)
		return 0;
	*value = strtod(digits, NULL);
	return at;
}

static size_t unit_length(const char *text, double *scale)
{
	*scale = 1;
	if (!strncmp(text, "GiB", 3))
		return 3;
	if (!strncmp(text, "MiB", 3)) {
		*scale = 1.0 / 1024;
		return 3;
	}
	if (!strncmp(text, "bytes", 5)) {
		*scale = 1 / BYTES_OF_GIB;
		return 5;
	}
	if (!strncmp(text, "Gib", 3))
		return 3;
	/* Older releases divide by 2^30 and call it GB. */
	return strncmp(text, "GB", 2) ? 0 : 2;
}

static void capture_text(struct log_captured *out, const char *text, size_t length)
{
	if (out->text_count == 2)
		return;
	snprintf(out->texts[out->text_count++], LOG_TEXT_MAX + 1, "%.*s", (int)length, text);
}

static void scale_numbers(struct log_captured *out, double scale)
{
	/* `10/79 GiB`: one unit for both. */
	for (; out->scaled_count < out->number_count; out->scaled_count++)
		out->numbers[out->scaled_count] *= scale;
}

/** A form's next run of literal text. */
static size_t literal_length(const char *form)
{
	size_t n = 0;

	while (form[n] && !(form[n] == '%' && form[n + 1] && strchr("nubwt*i", form[n + 1])))
		n++;
	return n;
}

/** Plain characters; a blank stands for a run of them. Moves `*text` behind them. */
static enum log_fit match_literal(const char **text, const char *form, size_t length)
{
	const char *at = *text;

	for (size_t i = 0; i < length; i++) {
		if (*at != form[i])
			return *at ? LOG_FIT_NONE : LOG_FIT_CUT;
		at++;
		while (form[i] == ' ' && *at == ' ')
			at++;
	}
	*text = at;
	return LOG_FIT_WHOLE;
}

enum log_fit log_form_match(struct log_captured *out, size_t index, const char *text)
{
	const char *form = forms[index].form;

	*out = (struct log_captured){ 0 };
	while (*form) {
		size_t literal = literal_length(form), n = 0;
		double number = 0, scale;

		if (literal) {
			enum log_fit fit = match_literal(&text, form, literal);

			if (fit != LOG_FIT_WHOLE)
				return fit;
			form += literal;
			continue;
		}
		if (!*text)
			return LOG_FIT_CUT;
		switch (form[1]) {
		case 'n':
		case 'i':
			n = number_length(text, &number);
			if (form[1] == 'n' && out->number_count < 2)
				out->numbers[out->number_count++] = number;
			break;
		case 'b':
			n = number_length(text, &number);
			if (out->number_count < 2)
				out->numbers[out->number_count++] = number / BYTES_OF_GIB;
			out->scaled_count = out->number_count;
			break;
		case 'u':
			n = unit_length(text, &scale);
			if (!n && strlen(text) < 3)
				return LOG_FIT_CUT;
			scale_numbers(out, scale);
			break;
		case 'w':
			n = strcspn(text, " ),;'\"\t");
			if (n > 1 && text[n - 1] == '.')
				n--;
			capture_text(out, text, n);
			break;
		default: { /* text up to the literal that follows */
			size_t next = literal_length(form + 2);
			char *end, wanted[64];

			snprintf(wanted, sizeof(wanted), "%.*s", (int)next, form + 2);
			end = strstr(text, wanted);
			if (!end)
				return LOG_FIT_CUT;
			n = (size_t)(end - text);
			if (form[1] == 't') {
				if (!n || n > LOG_TEXT_MAX)
					return LOG_FIT_NONE;
				capture_text(out, text, n);
			}
			form += 2;
			text += n;
			continue;
		}
		}
		if (!n)
			return LOG_FIT_NONE;
		text += n;
		form += 2;
	}
	return LOG_FIT_WHOLE;
}

size_t log_form_count(void)
{
	return FORM_COUNT;
}

enum log_id log_form_id(size_t index)
{
	return forms[index].id;
}

const char *log_form_text(size_t index)
{
	return forms[index].form;
}

size_t log_form_head(size_t index)
{
	return literal_length(forms[index].form);
}
