/**
 * @file
 * Kernels for tests: a deployment made of a model, a part and settings as `--set` takes
 * them, on the source tree's registry and the small models of tests/data/registry.
 */
#ifndef STEPSCOPE_TESTS_KERNEL_FIXTURE_H
#define STEPSCOPE_TESTS_KERNEL_FIXTURE_H

#include "stepscope/kernel.h"

struct kernel_fixture {
	struct ss_registry *registry;
	struct ss_scenario *scenario;
	struct ss_basis *basis;
	struct ss_kernel *kernel; /**< NULL when it was refused */
	struct ss_problems problems;
	unsigned corrections; /**< SS_CORRECTIONS_DEFAULT; read when resolving */
};

/** Cluster of the deployment; every pool takes all its nodes. */
struct fixture_cluster {
	int nodes, gpus_per_node;
	int gpus_per_rack;      /**< 0: unstated */
	double inter_node_gb_s; /**< 0: unstated */
};

#define FIXTURE_NODE (&(struct fixture_cluster){ .nodes = 1, .gpus_per_node = 8 })

/**
 * Make a kernel; a failing document fails the test, a refusal leaves kernel NULL.
 *
 * @param settings words apart by one space, `tp=4 block_size=16`; may be "".
 */
void fixture_make(struct kernel_fixture *f, const char *model, const char *part,
		  const struct fixture_cluster *cluster, const char *settings);

/** The same from a scenario of the tree's scenarios folder. */
void fixture_open(struct kernel_fixture *f, const char *scenario, const char *settings);

/** Change settings and resolve again. */
void fixture_set(struct kernel_fixture *f, const char *settings);

/** Try a coefficient at another value (NULL: none any more) and resolve again. */
void fixture_whatif(struct kernel_fixture *f, const char *name, double value);

void fixture_release(struct kernel_fixture *f);

#endif
