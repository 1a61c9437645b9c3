/* A whole sweep as a user runs it: every row another configuration, written as CSV. */
#include "bench/bench.h"

#include <fcntl.h>
#include <stddef.h>
#include <sys/resource.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#define ROWS 200000

/** Processor time of all children that have ended: what else runs does not count. */
static double children_s(void)
{
	struct rusage use;

	(void)getrusage(RUSAGE_CHILDREN, &use);
	return (double)(use.ru_utime.tv_sec + use.ru_stime.tv_sec) +
	       1e-6 * (double)(use.ru_utime.tv_usec + use.ru_stime.tv_usec);
}

double bench_sweep_rows_per_s(void)
{
	const char *program = bench_program();
	double start_s = children_s();
	int status = 0;
	pid_t child;

	if (!program)
		return -1;
	child = fork();
	if (child == 0) {
		int null = open("/dev/null", O_WRONLY);

		if (null >= 0 && dup2(null, STDOUT_FILENO) >= 0)
			(void)execl(program, program, "sweep",
				    TEST_SRCDIR "/scenarios/deepseek-v3-h200-fp8-tp8.json",
				    "--vary", "count=1..200", "--vary", "max_num_seqs=1..1000",
				    "--format", "csv", "--jobs", "1", (char *)NULL);
		_exit(127);
	}
	if (child < 0 || waitpid(child, &status, 0) != child || status)
		return -1;
	return ROWS / (children_s() - start_s);
}
