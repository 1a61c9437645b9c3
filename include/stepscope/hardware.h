/**
 * @file
 * Parts, fabrics, storage classes, workload shapes.
 */
#ifndef STEPSCOPE_HARDWARE_H
#define STEPSCOPE_HARDWARE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "stepscope/fields.h"
#include "stepscope/status.h"

#ifdef __cplusplus
extern "C" {
#endif

/** A GPU part. Figures the catalogue does not state are 0. Text is owned, never NULL. */
struct ss_part {
	char *name;
	double bf16_tflops, fp8_tflops, nvfp4_tflops, fp32_tflops; /**< dense peaks */
	double memory_bandwidth_tb_s;
	double memory_gib;
	double visible_gib; /**< what CUDA reports; 0: memory_gib */
	int64_t sm_count;
	double intra_node_gb_s; /**< per GPU, one direction */
	int64_t gpus_per_node, gpus_per_rack;
	double intra_rack_gb_s;
	char *generation;             /**< `hopper`, ... */
	char *kernel_times;           /**< part whose kernel times hold for this one; "": its own */
	char *compute_capability;     /**< `sm90`; "" when not stated */
	bool has_inferred_capability; /**< compute_capability_source is `inferred` */
	bool has_nvlink;              /**< false where intra-node traffic crosses PCIe */
	char *comment;
};

struct ss_network {
	char *name;
	double inter_node_gb_s; /**< per GPU, one direction, nominal */
	bool has_rdma;
	char *comment;
};

struct ss_storage_class {
	char *name;
	double read_mb_s, write_mb_s, base_latency_us;
};

struct ss_storage {
	struct ss_storage_class *classes;
	size_t count;
};

/** A load by name, `registry/workloads/NAME.json`. */
struct ss_workload_shape {
	char *name;
	char *file;                             /**< as it was read; "" when made in memory */
	struct ss_value values[SS_FIELD_COUNT]; /**< those of SS_OWNER_WORKLOAD */
};

SS_API void ss_part_free(struct ss_part *part);
SS_API void ss_network_free(struct ss_network *network);
SS_API void ss_storage_free(struct ss_storage *storage);
SS_API void ss_workload_shape_free(struct ss_workload_shape *shape);

#ifdef __cplusplus
}
#endif

#endif
