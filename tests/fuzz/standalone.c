/*
 * The main of a fuzz driver where no fuzzing engine brings one: hands it each
 * file given, so that every input that once mattered runs in `make check`. With
 * `--time SECONDS` it goes on with inputs made of those: bytes changed, words of the
 * others and of the tables put in, numbers made extreme, values of JSON swapped, pieces
 * doubled, dropped and moved. Built by clang with --with-sanitizer=fuzzer-no-link it goes
 * on from inputs that reached something new. An input that the driver dies of, or takes
 * too long over, is left in NAME.crash.
 */
#include "fuzz/fuzz.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "stepscope/fields.h"
#include "stepscope/kernel.h"
#include "stepscope/load.h"

enum { INPUT_MAX = 1 << 16, INPUTS_MAX = 4096, SECONDS_MOST = 30 };

static struct {
	uint8_t *data;
	size_t size;
} inputs[INPUTS_MAX];

static size_t input_count;

/* The input that runs, for the handler of what it dies of. */
static const uint8_t *running;
static size_t running_size;
static char crash_name[512];

static bool read_input(const char *path)
{
	FILE *file = fopen(path, "rb");
	uint8_t *data = NULL;
	size_t size = 0, capacity = 0;

	if (!file) {
		(void)fprintf(stderr, "%s: %s\n", path, strerror(errno));
		return false;
	}
	while (!feof(file) && !ferror(file)) {
		if (size == capacity) {
			size_t wanted = capacity ? capacity * 2 : 4096;
			uint8_t *grown = realloc(data, wanted);

			if (!grown)
				break;
			data = grown;
			capacity = wanted;
		}
		size += fread(data + size, 1, capacity - size, file);
	}
	if (!feof(file) || input_count == INPUTS_MAX) {
		(void)fprintf(stderr, "%s: cannot be read whole\n", path);
		(void)fclose(file);
		free(data);
		return false;
	}
	(void)fclose(file);
	inputs[input_count].data = data;
	inputs[input_count++].size = size;
	return true;
}

/* A copy of the exact size, so that reading past the end is seen. */
static void run(const uint8_t *data, size_t size)
{
	uint8_t *exact = malloc(size ? size : 1);

	if (!exact)
		return;
	if (size)
		memcpy(exact, data, size);
	running = data;
	running_size = size;
	(void)LLVMFuzzerTestOneInput(exact, size);
	free(exact);
}

static void on_death(int number)
{
	int fd = open(crash_name, O_WRONLY | O_CREAT | O_TRUNC, 0666);

	if (fd >= 0 && write(fd, running, running_size) >= 0)
		(void)close(fd);
	(void)signal(number, SIG_DFL);
	(void)raise(number);
}

/* -- inputs made of others ------------------------------------------------------------ */

static uint64_t state = 1;

/* xorshift64*: the same seed makes the same inputs everywhere. */
static size_t chance(size_t below)
{
	state ^= state >> 12;
	state ^= state << 25;
	state ^= state >> 27;
	return below ? (size_t)((state * 2685821657736338717U) >> 16) % below : 0;
}

static bool is_of_word(uint8_t c)
{
	return c == '_' || c == '.' || c == '-' || (c >= '0' && c <= '9') ||
	       ((c | 32) >= 'a' && (c | 32) <= 'z');
}

/* A piece of some input: a word of it, or any bytes. */
static size_t piece(uint8_t *out, size_t room)
{
	size_t from, len = 0, k = chance(input_count);
	const uint8_t *data = inputs[k].data;

	if (!inputs[k].size)
		return 0;
	from = chance(inputs[k].size);
	if (chance(4)) {
		while (from && is_of_word(data[from - 1]))
			from--;
		while (from + len < inputs[k].size && is_of_word(data[from + len]))
			len++;
	} else {
		len = 1 + chance(40);
	}
	if (len > inputs[k].size - from)
		len = inputs[k].size - from;
	len = len < room ? len : room;
	memcpy(out, data + from, len);
	return len;
}

/* Words that are near the edges of what numbers and JSON take. */
static size_t edge(uint8_t *out, size_t room)
{
	static const char *const words[] = {
		"0",
		"-1",
		"1",
		"2",
		"1e9",
		"1e308",
		"1e-308",
		"9007199254740993",
		"9223372036854775807",
		"0.1",
		"4k",
		"4K",
		"null",
		"true",
		"false",
		"[]",
		"{}",
		"\"\"",
		",",
		"=",
		":",
		"..",
		":x2",
		":+1",
		"p",
		"s+",
		"\n",
		"\\",
		"\xe2\x80\xae",
		"auto",
		"1000000000",
		"65536",
		"nan",
		"inf",
		"0x10",
	};
	const char *word = words[chance(sizeof(words) / sizeof(words[0]))];
	size_t len = strlen(word);

	len = len < room ? len : room;
	memcpy(out, word, len);
	return len;
}

/* A name of the tables: where nothing else leads, these do. */
static size_t name_of_tables(uint8_t *out, size_t room)
{
	const char *word = NULL;
	size_t len;

	switch (chance(4)) {
	case 0:
		word = ss_divergence((enum ss_divergence_id)chance(SS_DIVERGENCE_COUNT))->name;
		break;
	case 1:
		word = chance(2) ? ss_figure_name((enum ss_figure)chance(SS_FIGURE_COUNT))
				 : ss_latency_name((enum ss_latency_id)chance(SS_LATENCY_COUNT));
		break;
	default:
		word = ss_field((enum ss_field_id)chance(SS_FIELD_COUNT))->path;
		break;
	}
	len = strlen(word);
	len = len < room ? len : room;
	memcpy(out, word, len);
	return len;
}

static size_t word_of_any(uint8_t *out, size_t room)
{
	switch (chance(3)) {
	case 0:
		return edge(out, room);
	case 1:
		return name_of_tables(out, room);
	default:
		return piece(out, room);
	}
}

/* -- values of JSON ------------------------------------------------------------------- */

static bool opens_value(uint8_t c)
{
	return c == '{' || c == '[' || c == '"' || c == '-' || (c >= '0' && c <= '9');
}

static size_t string_end(const uint8_t *data, size_t size, size_t at)
{
	for (at++; at < size && data[at] != '"'; at++)
		at += data[at] == '\\';
	return at < size ? at + 1 : size;
}

/* Where the value that begins at `at` ends. */
static size_t value_end(const uint8_t *data, size_t size, size_t at)
{
	int depth = 0;

	if (data[at] == '"')
		return string_end(data, size, at);
	if (data[at] != '{' && data[at] != '[') {
		while (at < size && (is_of_word(data[at]) || data[at] == '+'))
			at++;
		return at;
	}
	do {
		if (data[at] == '"') {
			at = string_end(data, size, at);
			continue;
		}
		depth += data[at] == '{' || data[at] == '[';
		depth -= data[at] == '}' || data[at] == ']';
		at++;
	} while (at < size && depth > 0);
	return at;
}

/* Some value of an input; false where there is none. */
static bool find_value(const uint8_t *data, size_t size, size_t *at, size_t *len)
{
	*at = chance(size);
	while (*at < size && !opens_value(data[*at]))
		(*at)++;
	if (*at >= size)
		return false;
	*len = value_end(data, size, *at) - *at;
	return true;
}

/* Put `len` bytes in place of `drop` at `at`. */
static size_t splice(uint8_t *data, size_t size, size_t at, size_t drop, const uint8_t *with,
		     size_t len)
{
	drop = drop < size - at ? drop : size - at;
	if (size - drop + len > INPUT_MAX)
		return size;
	memmove(data + at + len, data + at + drop, size - at - drop);
	if (len)
		memcpy(data + at, with, len);
	return size - drop + len;
}

/* A value swapped, dropped, doubled or made a list. */
static size_t mutate_value(uint8_t *data, size_t size)
{
	static uint8_t bytes[8192];
	size_t at, len, from, other, k = chance(input_count);

	if (!size || !find_value(data, size, &at, &len))
		return size;
	switch (chance(5)) {
	case 0: /* with the comma before it */
		other = at && data[at - 1] == ',' ? 1 : 0;
		return splice(data, size, at - other, len + other, NULL, 0);
	case 1:
		if (len + 1 > sizeof(bytes))
			return size;
		memcpy(bytes, data + at, len);
		bytes[len] = ',';
		return splice(data, size, at, 0, bytes, len + 1);
	case 2:
		size = splice(data, size, at + len, 0, (const uint8_t *)"]", 1);
		return splice(data, size, at, 0, (const uint8_t *)"[", 1);
	case 3:
		other = word_of_any(bytes, 256);
		return splice(data, size, at, len, bytes, other);
	default:
		if (!inputs[k].size || !find_value(inputs[k].data, inputs[k].size, &from, &other) ||
		    other > sizeof(bytes))
			return size;
		memcpy(bytes, inputs[k].data + from, other);
		return splice(data, size, at, len, bytes, other);
	}
}

static size_t mutate(uint8_t *data, size_t size)
{
	uint8_t bytes[256];
	size_t at = chance(size + 1), drop = 0, len = 0;

	switch (chance(9)) {
	case 0:
		if (size)
			data[chance(size)] ^= (uint8_t)(1u << chance(8));
		return size;
	case 1:
		drop = 1 + chance(30);
		break;
	case 2:
		len = piece(bytes, sizeof(bytes));
		break;
	case 3: /* a word for a word */
		while (at && at <= size && at > 0 && is_of_word(data[at - 1]))
			at--;
		while (at + drop < size && is_of_word(data[at + drop]))
			drop++;
		len = word_of_any(bytes, sizeof(bytes));
		break;
	case 7:
	case 8:
		return mutate_value(data, size);
	case 4:
		len = edge(bytes, sizeof(bytes));
		break;
	case 5: /* once more */
		len = chance(sizeof(bytes));
		len = len < size - at ? len : size - at;
		if (len)
			memcpy(bytes, data + at, len);
		break;
	default:
		bytes[0] = (uint8_t)chance(256);
		len = 1;
		drop = chance(2);
		break;
	}
	return splice(data, size, at, drop, bytes, len);
}

/* -- what was reached ----------------------------------------------------------------- */

enum { MODULES_MAX = 16 };

#ifdef __clang__
#define UNWATCHED __attribute__((no_sanitize("address", "undefined", "coverage")))
#else
#define UNWATCHED
#endif

/* Counters that the compiler puts in, a module's beside each other. */
static struct {
	uint8_t *counters, *seen;
	size_t count;
} modules[MODULES_MAX];

static size_t module_count;

void __sanitizer_cov_8bit_counters_init(uint8_t *start, const uint8_t *end);
void __sanitizer_cov_8bit_counters_init(uint8_t *start, const uint8_t *end)
{
	if (start == end || module_count == MODULES_MAX ||
	    (module_count && modules[module_count - 1].counters == start))
		return;
	modules[module_count].counters = start;
	modules[module_count++].count = (size_t)(end - start);
}

/* Once, twice, a few times, many: another of these is new. */
static uint8_t how_often(uint8_t n)
{
	return n < 4 ? (uint8_t)(1u << n) : n < 16 ? 16 : n < 128 ? 32 : 64;
}

/* Did the last run reach anything new? Counts anew from here on. */
UNWATCHED static bool is_new(void)
{
	bool any = false;

	for (size_t m = 0; m < module_count; m++) {
		uint8_t *counters = modules[m].counters;

		if (!modules[m].seen)
			modules[m].seen = calloc(modules[m].count, 1);
		for (size_t i = 0; modules[m].seen && i < modules[m].count; i++) {
			uint64_t eight = 0;
			uint8_t bit;

			/* most is never reached: eight at a time */
			if (i % 8 == 0 && i + 8 <= modules[m].count)
				memcpy(&eight, counters + i, 8);
			if (i % 8 == 0 && i + 8 <= modules[m].count && !eight) {
				i += 7;
				continue;
			}
			if (!counters[i])
				continue;
			bit = how_often(counters[i]);
			any = any || (bit & ~modules[m].seen[i]);
			modules[m].seen[i] |= bit;
		}
		memset(counters, 0, modules[m].count);
	}
	return any;
}

/* Go on from this one too; when there are many, in place of another. */
static void remember(const uint8_t *data, size_t size, size_t given)
{
	size_t k = input_count < INPUTS_MAX ? input_count : given + chance(INPUTS_MAX - given);
	uint8_t *copy = given < INPUTS_MAX ? malloc(size ? size : 1) : NULL;

	if (!copy)
		return;
	if (size)
		memcpy(copy, data, size);
	if (k == input_count)
		input_count++;
	else
		free(inputs[k].data);
	inputs[k].data = copy;
	inputs[k].size = size;
}

static double now_s(void)
{
	struct timespec now;

	(void)clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void search(const char *name, double seconds)
{
	static uint8_t data[INPUT_MAX];
	double start = now_s();
	unsigned long runs = 0;
	size_t given = input_count;

	(void)is_new();
	while (input_count && now_s() - start < seconds) {
		size_t k = chance(input_count);
		size_t size = inputs[k].size < INPUT_MAX ? inputs[k].size : INPUT_MAX;

		if (size)
			memcpy(data, inputs[k].data, size);
		for (size_t n = 1 + chance(6); n; n--)
			size = mutate(data, size);
		(void)alarm(SECONDS_MOST);
		run(data, size);
		if (is_new())
			remember(data, size, given);
		runs++;
	}
	(void)alarm(0);
	(void)printf("%s: %lu executions in %.0f s, %.0f a second, %zu inputs\n", name, runs,
		     now_s() - start, (double)runs / (now_s() - start), input_count);
	(void)fflush(stdout);
}

int main(int argc, char **argv)
{
	static const int deaths[] = { SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGALRM };
	const char *name = strrchr(argv[0], '/') ? strrchr(argv[0], '/') + 1 : argv[0];
	double seconds = 0;
	int first = 1, failed = 0;

	if (argc > 3 && !strcmp(argv[1], "--time")) {
		seconds = strtod(argv[2], NULL);
		first = 3;
		state = (uint64_t)time(NULL) * 2654435761U + 1;
	}
	for (int i = first; i < argc; i++)
		failed |= !read_input(argv[i]);
	if (seconds > 0) {
		(void)snprintf(crash_name, sizeof(crash_name), "%s.crash", name);
		for (size_t i = 0; i < sizeof(deaths) / sizeof(deaths[0]); i++)
			(void)signal(deaths[i], on_death);
	}
	for (size_t i = 0; i < input_count; i++)
		run(inputs[i].data, inputs[i].size);
	if (seconds > 0)
		search(name, seconds);
	for (size_t i = 0; i < input_count; i++)
		free(inputs[i].data);
	for (size_t m = 0; m < module_count; m++)
		free(modules[m].seen);
	return failed;
}
