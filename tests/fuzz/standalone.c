/*
 * The main of a fuzz driver where no fuzzing engine brings one: hands it each
 * file given, so that every input that once mattered runs in `make check`. With
 * `--time SECONDS` it goes on with inputs made of those: bytes changed, words of the
 * others put in, numbers made extreme, pieces doubled, dropped and moved. An input that
 * the driver dies of is left in NAME.crash.
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

enum { INPUT_MAX = 1 << 16, INPUTS_MAX = 4096 };

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

static size_t mutate(uint8_t *data, size_t size)
{
	uint8_t bytes[256];
	size_t at = chance(size + 1), drop = 0, len = 0;

	switch (chance(7)) {
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
		len = chance(2) ? edge(bytes, sizeof(bytes)) : piece(bytes, sizeof(bytes));
		break;
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

	while (input_count && now_s() - start < seconds) {
		size_t k = chance(input_count);
		size_t size = inputs[k].size < INPUT_MAX ? inputs[k].size : INPUT_MAX;

		if (size)
			memcpy(data, inputs[k].data, size);
		for (size_t n = 1 + chance(6); n; n--)
			size = mutate(data, size);
		run(data, size);
		runs++;
	}
	(void)printf("%s: %lu executions in %.0f s, %.0f a second\n", name, runs, now_s() - start,
		     (double)runs / (now_s() - start));
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
	return failed;
}
