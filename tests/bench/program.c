/* Figures of the whole program, run as a user would. */
#include "bench/bench.h"

#include <fcntl.h>
#include <stddef.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

struct program_run {
	const char *path;
	int has_failed;
};

static void print_version(void *context)
{
	struct program_run *program = context;
	int status = 0;
	pid_t child = fork();

	if (child == 0) {
		int null = open("/dev/null", O_WRONLY);

		if (null >= 0 && dup2(null, STDOUT_FILENO) >= 0)
			(void)execl(program->path, program->path, "--version", (char *)NULL);
		_exit(127);
	}
	if (child < 0 || waitpid(child, &status, 0) != child || status)
		program->has_failed = 1;
}

double bench_program_start_ms(void)
{
	struct program_run program = { .path = bench_program() };
	double median_s;

	if (!program.path)
		return -1;
	median_s = bench_median_s(print_version, &program, 0.5);
	return program.has_failed ? -1 : 1e3 * median_s;
}
