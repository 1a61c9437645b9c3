/**
 * @file
 * What a kernel holds: the deployment resolved, its plan, its memory, and the notes
 * of everything it assumed, overrode or missed. Internal to src/resolve.
 */
#ifndef STEPSCOPE_RESOLVE_KERNEL_IMPL_H
#define STEPSCOPE_RESOLVE_KERNEL_IMPL_H

#include "price/host.h"
#include "price/layout.h"
#include "price/plan.h"
#include "price/pool.h"
#include "resolve/basis.h"
#include "resolve/notes.h"
#include "resolve/times.h"
#include "stepscope/engine.h"
#include "stepscope/kernel.h"

/** Caches of one layer kind on one rank. */
struct layer_cache {
	double kv_bytes;     /**< main cache, per token; 0: none */
	double scorer_bytes; /**< scorer key caches, per token */
	int64_t state_bytes; /**< recurrent state and convolution, per request */
	int64_t window;      /**< of the main cache; 0: full length */
	bool is_latent;
	bool is_sharded; /**< by decode-context parallelism */
	enum ss_attention_kind kind;
};

/** Settings as they run. Text is borrowed from the scenario, the pack or static storage. */
struct settings {
	bool has_quantization;
	enum ss_dtype served_as;  /**< UNSTATED: the checkpoint's formats */
	const char *quantization; /**< as stated; "" */
	const char *cache_dtype;  /**< as stated, or `auto` */
	double cache_element_bytes;
	const char *packed_layout;     /**< "" when not packed */
	const char *sparse_backend;    /**< "" when none is resolved */
	const char *attention_backend; /**< as stated, in the pack's spelling; "" */
	int64_t block_size;            /**< stated or default; the pool's may be aligned */
	bool is_block_stated;
	enum graph_mode graph_mode;
	int64_t ceiling;
	int64_t *sizes; /**< captured, ascending; owned */
	size_t size_count, size_capacity;
	int64_t max_batched_tokens, max_num_seqs;
	int64_t window;        /**< of the model, as RoPE scaling stretches it; 0: not known */
	int64_t max_model_len; /**< 0: unbounded */
	int64_t long_prefill;  /**< tokens of one prefill a step takes at most; 0: no bound */
	int64_t replicas;      /**< engines of this pool's kind */
	bool reserves_full_isl, is_priority;
	bool is_model_len_auto, is_model_len_stated;
	double utilization;
	int64_t spec_tokens; /**< 0: no speculation */
	const char *spec_method;
	bool has_drafts; /**< the graph has a speculator to price */
	bool is_async, has_cascade, has_prefix_caching, has_chunked_prefill;
	bool is_custom_allreduce;
	bool is_custom_barred; /**< it would run, and the deployment says not to */
	const char *moe_backend, *linear_backend; /**< as stated; "" */
	bool has_reduce_fusion, has_act_fusion;
	bool is_reduce_stated, is_act_stated;
	const char *all2all;     /**< as stated; "" */
	const char *all2all_run; /**< what runs */
	int backend_measured;    /**< enum coef_backend with a price of its own, or -1 */
	int64_t redundant;       /**< replicated experts; 0 without EPLB */
	bool has_eplb;
	const char *dcp_backend;
	int64_t interleave;
	const char *state_mode; /**< "" without recurrent layers */
	bool has_hybrid_manager;
	bool has_connector;
	bool is_table_on_host, is_table_shared;
	int sm; /**< compute capability x 10 + minor, 90; 0 unknown */
};

/** Layers whose caches are alike. */
struct pool_class {
	struct pool_layers layers;
	double bytes; /**< of one layer: per token, or per request for a state */
	bool is_latent;
	int64_t groups; /**< of the shared pool that it fills */
};

/** Why caches keep pages of their own. */
enum pool_cause {
	POOL_GROUPED,
	POOL_UNLISTED,   /**< the pack does not say how it groups such a cache */
	POOL_COMPRESSED, /**< a compressed cache beside a window, in one layer */
	POOL_UNLIKE,     /**< widths that differ where lengths differ too */
	POOL_MANY,       /**< more kinds of cache than are told apart */
};

/** Kinds of cache told apart. */
#define POOL_CLASSES_MAX 16

/** How the caches share one pool. */
struct pool_plan {
	struct pool_class classes[POOL_CLASSES_MAX];
	size_t count;
	struct pool_rules rules;
	int64_t shards; /**< ranks that share a sequence's KV */
	enum pool_cause cause;
	int64_t stated_blocks; /**< of the pool; 0: from the budget */
	double unit_bytes;     /**< of a block of every full cache, where pages are their own */
};

/** What the fixed bytes were made of. */
struct memory_coefs {
	struct coef communicator, workspace, capture, buffers, scratch;
	double buffer_bytes; /**< of one activation buffer */
	bool is_room_stated; /**< kv_cache_memory_bytes: nothing here moves the room */
};

/** What the SM70 build's reference decides; all zero for another build. */
struct sm70_state {
	const struct ss_value *options;                 /**< `engine.sm70` as stated */
	const struct ss_value *environment;             /**< of the serving host */
	struct ss_value kept_options, kept_environment; /**< copies, in kernels that are read */
	const struct ss_kv_codec *codec;
	const char *backend; /**< attention backend asked for; NULL: the build's own */
	const char *dtype;   /**< of computing, after the override; static */
	bool has_routes;     /**< attention whose routes were read */
	bool has_gdn;
	struct ss_gdn_choice gdn;
};

/** Text that a kernel owns. */
struct text_block {
	struct text_block *next;
	size_t used, size;
	char bytes[];
};

struct ss_kernel {
	const struct ss_basis *basis;
	const struct ss_scenario *scenario; /**< only while resolving */
	size_t pool_index;
	unsigned corrections;
	struct ss_problems *problems; /**< only while resolving; may be NULL */
	size_t refusals;
	bool has_price; /**< no coefficient of the step is missing */

	double inter_node_gb_s; /**< of one GPU; 0: no fabric */
	double pd_floor_us;     /**< least time of a transfer between pools */
	struct layout layout;
	struct settings set;
	bool has_measured_mhc;
	struct notes notes;
	struct times_state times; /**< kept from one deployment to the next */
	struct plan plan;
	struct layer_cache *caches; /**< by layer kind */
	size_t cache_count;
	bool all_kv_sharded; /**< every KV layer shards under dcp */

	struct ss_memory memory;
	struct memory_coefs memory_reads;
	struct ss_release_use release_terms[SS_RELEASE_TERM_COUNT];
	size_t release_count;
	struct ss_kv_pool pool;
	struct pool_plan pool_plan;
	struct sm70_state sm70;

	struct ss_resolution resolution;

	/* made by kernel_finish(), for kernels that are read */
	bool is_finished;
	struct text_block *text;
	struct ss_entry *entries;
	size_t entry_count;
	int *entry_of_basis; /**< entries keep basis order: index by basis entry */
	struct ss_override *overrides;
};

/* -- values as stated ------------------------------------------------------------------ */

static inline const struct ss_value *stated(const struct ss_kernel *k, enum ss_field_id id)
{
	return ss_scenario_value(k->scenario, k->pool_index, id);
}

/** A stated count; 0 when unstated (or stated 0, which reads as unstated). */
static inline int64_t stated_count(const struct ss_kernel *k, enum ss_field_id id)
{
	const struct ss_value *v = stated(k, id);

	return v->is_stated && !v->is_auto ? v->integer : 0;
}

static inline bool stated_bool(const struct ss_kernel *k, enum ss_field_id id, bool unstated)
{
	const struct ss_value *v = stated(k, id);

	return v->is_stated ? v->integer != 0 : unstated;
}

/** Stated text; "" when unstated. */
static inline const char *stated_text(const struct ss_kernel *k, enum ss_field_id id)
{
	const struct ss_value *v = stated(k, id);

	return v->is_stated && v->text ? v->text : "";
}

/** Stated backend in the pack's spelling, whatever the case it was stated in; "" when unstated. */
const char *stated_backend(const struct ss_kernel *k, enum ss_field_id id);

/** Report a refusal at a field. Counts even when no list is kept. */
void refuse(struct ss_kernel *k, const char *code, enum ss_field_id field, const char *format, ...)
	SS_PRINTF(4, 5);
/** A coefficient only the step reads is missing: no price, but memory stands. */
void refuse_price(struct ss_kernel *k, const char *code, const char *format, ...) SS_PRINTF(3, 4);
void warn(struct ss_kernel *k, enum ss_field_id field, const char *format, ...) SS_PRINTF(3, 4);

/* -- coefficients ---------------------------------------------------------------------- */

/** The entry that wins under this layout, from the last of its name down; -1 none. */
int coef_winner(const struct ss_kernel *k, int last);
/** Is the entry scoped to this model? */
bool coef_is_of_model(const struct ss_basis *basis, int entry);
/** Bind the winner of an index slot. */
struct coef coef_bind(const struct ss_kernel *k, int last);
/** Bind a plain name; a missing one is noted absent. */
struct coef coef_optional(struct ss_kernel *k, enum coef_family family);
/** Bind by rank width, snapped down to a declared one (narrowest if none). */
struct coef coef_by_width(const struct ss_kernel *k, const struct basis_widths *widths, int wanted);

/* -- the stages, in order --------------------------------------------------------------- */

/** How a weight runs: what it is stored as and what computes it. */
struct served {
	enum ss_dtype stored;
	int rate; /**< index in plan.rates, -1 when refused */
};

void resolve_layout(struct ss_kernel *k);
void resolve_settings(struct ss_kernel *k);
void resolve_caches(struct ss_kernel *k);
void resolve_plan(struct ss_kernel *k);
/** Does a node run, under the layout and not inside another? */
bool plan_runs_node(const struct ss_kernel *k, const struct ss_node *n);
/** Fixed bytes, corrections, budget, bytes per token; C3 refusals. */
void resolve_memory(struct ss_kernel *k);
/** The KV pool; may change the block_size note and add grouping notes. */
void resolve_pool(struct ss_kernel *k);
/** What will run; texts borrowed from where they were stated. */
void fill_resolution(struct ss_kernel *k);
/** Entries and overrides with their wording, texts kept. False: out of memory. */
bool kernel_finish(struct ss_kernel *k);

/** Stored format of a node: its own, else what quantization serves, else the checkpoint's. */
enum ss_dtype stored_format(const struct ss_kernel *k, const struct ss_node *node, bool is_head);
/** The same of the shared experts beside a node's own. */
enum ss_dtype shared_expert_format(const struct ss_kernel *k, const struct ss_node *node);

/** The part's generation decided something: say so where the part does not state it itself. */
void use_capability(struct ss_kernel *k);

/** Copy text into the kernel; NULL when out of memory. */
const char *kernel_text(struct ss_kernel *k, const char *format, ...) SS_PRINTF(2, 3);

#endif
