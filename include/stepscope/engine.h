/**
 * @file
 * The engine reference: what one build of an engine declares (configuration
 * owners, KV codecs, attention routes, MoE bindings) and how it chooses among
 * them. Everything is data of a pack; the functions are pure and keep nothing.
 *
 * For a deployment on such a build: load the pack once with
 * ss_reference_load(); find the codec with ss_codec_resolve() from the cache
 * dtype and refuse when there is none; for each stage fill a `struct
 * ss_route_request` with one rank's heads, the resolved block as page_size and
 * the chunk that would be scheduled; ss_route_select(), read `result`, the
 * winner and the verdicts, ss_route_selection_release(). What another cache
 * dtype would cost is the same request with another codec, what a setting would
 * change the same with other settings. ss_moe_select() and ss_gdn_select() take
 * requests of their own. Settings come in as text by path, as `sm70.PATH` of a
 * deployment states them, and environment variables of the serving host by
 * name; nothing is read from the process's own environment.
 */
#ifndef STEPSCOPE_ENGINE_H
#define STEPSCOPE_ENGINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "stepscope/problems.h"
#include "stepscope/status.h"

#ifdef __cplusplus
extern "C" {
#endif

struct cJSON;

/** Names in the order of the pack; the pointers live as long as their owner. */
struct ss_names {
	const char *const *items;
	size_t count;
};

/** Numbers in the order of the pack. */
struct ss_numbers {
	const int64_t *items;
	size_t count;
};

/** One lifecycle or hash method of a configuration type. */
struct ss_lifecycle {
	const char *method;
	const char *file;
};

/** One configuration type and the paths that own one. */
struct ss_config_owner {
	const char *type;
	struct ss_names paths;
	const struct ss_lifecycle *lifecycle;
	size_t lifecycle_count;
	const char *source;
};

/** One field of an owner path. A field `*` stands for fields not listed. */
struct ss_config_field {
	const char *owner_path; /**< `(root)` for the top */
	const char *field;
	const char *type;
	const char *default_value; /**< NULL: none stated */
	const char *unset_means;   /**< what a default of NULL comes to; NULL: not known */
	const char *allowed;       /**< as the source words it; may be NULL */
};

/** How keys and values may be stored. Registered does not mean natively read. */
struct ss_kv_codec {
	const char *symbol;
	const char *canonical;
	struct ss_names aliases;
	const char *storage;
	const char *element; /**< NULL when stored as is */
	bool is_quantized;
	const char *source;
};

/** What a route serves. */
enum ss_route_stage {
	SS_STAGE_DECODE,
	SS_STAGE_MIXED_DECODE,
	SS_STAGE_VERIFY,
	SS_STAGE_PREFILL,
	SS_STAGE_METADATA,
	SS_STAGE_ANY,
	SS_STAGE_COUNT
};

/** `decode`, `mixed_decode`, ... Never NULL for a valid stage. */
SS_API const char *ss_route_stage_name(enum ss_route_stage stage);

/** Find a stage by its exact name; false when there is none. */
SS_API bool ss_route_stage_find(const char *name, enum ss_route_stage *out);

/** One declared attention route. Empty lists set no limit. */
struct ss_attention_route {
	const char *name;
	enum ss_route_stage stage;
	struct ss_names codecs; /**< symbols */
	struct ss_numbers head_dims;
	struct ss_numbers gqa_ratios;
	int64_t page_alignment; /**< checked above 1 */
	struct ss_numbers page_sizes;
	int64_t chunk_alignment; /**< checked above 1 */
	struct ss_numbers chunk_sizes;
	int64_t min_chunk;
	int64_t max_chunk; /**< -1: no limit */
	bool is_fallback;
	bool is_observer;
	bool is_xqa;
	const char *source;
};

/** One declared MoE stage binding; shown as it stands. */
struct ss_moe_binding {
	struct ss_names families;
	const char *stage; /**< `w13` or `w2` */
	const char *mode;
	const char *binding;
	const char *native_name; /**< NULL where no native entry name was read */
	const char *covers;
	const char *layout;
	const char *arithmetic;
	const char *source;
};

/** One test of a request; the key's meaning stands in the condition table. */
struct ss_route_condition {
	int key;                   /**< index into the condition table */
	bool flag;                 /**< for keys that take true or false */
	const char *text;          /**< option path or name; NULL: no field sets it (off) */
	struct ss_numbers numbers; /**< for keys that take numbers */
	struct ss_names names;     /**< for keys that take codec symbols or stages */
};

/** Tests that must all hold, in order. */
struct ss_route_conditions {
	const struct ss_route_condition *items;
	size_t count;
};

/** Print one condition as the pack says it: `min_q 4096`. Cut at `size`. */
SS_API void ss_route_condition_text(const struct ss_route_condition *condition, char *out,
				    size_t size);

/** How a candidate takes part in its walk. */
enum ss_candidate_role {
	SS_ROLE_CHOICE,
	SS_ROLE_OPT_IN,      /**< off until its option is on */
	SS_ROLE_GATE,        /**< acts only when its own requirements hold */
	SS_ROLE_RECORD,      /**< a name written beside another; never chosen */
	SS_ROLE_LAST_RESORT, /**< the fallback of its walk */
	SS_ROLE_DELEGATE,    /**< another walk stands here */
};

/** `choice`, `opt_in`, ... */
SS_API const char *ss_candidate_role_name(enum ss_candidate_role role);

/** One step of a walk. */
struct ss_route_candidate {
	const char *name; /**< route name, or a label for a path without one */
	const struct ss_attention_route *route; /**< NULL without a name of its own */
	const struct ss_attention_route
		*admitted_as; /**< whose declaration admits it; may be NULL */
	enum ss_candidate_role role;
	bool is_inferred;                     /**< place not read: never chosen */
	bool continues;                       /**< a delegate beside which the walk goes on */
	const struct ss_route_walk *delegate; /**< for a delegate */
	const char *exclusive; /**< boolean condition under which failing ends all; NULL: none */
	struct ss_route_conditions needs;
	const char *note; /**< may be NULL */
};

/** Candidates in the executor's order. */
struct ss_route_walk {
	const char *name;
	const char *title;
	enum ss_route_stage stage;
	struct ss_route_conditions enter; /**< tried only when these hold */
	bool is_exclusive;                /**< once entered, later walks are not tried */
	const struct ss_route_candidate *candidates;
	size_t candidate_count;
};

/** One XQA refusal: any of the alternatives gives the reason. */
struct ss_xqa_rule {
	const char *reason;
	const struct ss_route_conditions *alternatives;
	size_t alternative_count;
};

/** The executor's order. */
struct ss_route_order {
	const char *age_note;
	const char *triton_option; /**< environment variable that lets gates fall to Triton */
	const char *backend;       /**< that runs when none is asked for; may be NULL */
	const char *backend_field; /**< setting that asks for another; may be NULL */
	const char *dtype_field;   /**< setting of the compute dtype; may be NULL */
	struct ss_numbers served_head_dims; /**< others the backend does not serve; empty: all */
	const struct ss_route_walk *walks;
	size_t walk_count;
	/** walks of each stage, in order */
	const struct ss_route_walk *const *stages[SS_STAGE_COUNT];
	size_t stage_counts[SS_STAGE_COUNT];
	const struct ss_route_walk *inner; /**< family entered from some winners; may be NULL */
	struct ss_route_conditions inner_enter;
	struct ss_names inner_from;
};

/** One test of a MoE selector rule. */
struct ss_moe_condition {
	int key;
	const char *field; /**< setting of the family; may be NULL */
	const char *value; /**< member asked for, or a model family; may be NULL */
	struct ss_numbers numbers;
};

/** One selector row; the first that holds gives the mode of its stage. */
struct ss_moe_rule {
	struct ss_names families;
	const char *stage;
	const char *mode;
	const struct ss_moe_condition *when;
	size_t when_count;
	const char *reason;
};

/** Where the settings of a MoE family stand. */
struct ss_moe_settings {
	const char *family;
	const char *owner_path;
};

/** One GDN prefill backend and what it needs; empty lists set no limit. */
struct ss_gdn_backend {
	const char *name;
	struct ss_names asked_as;
	struct ss_names compute_capability;
	struct ss_numbers head_k;
	struct ss_names dtypes;
};

/** How GDN prefill is chosen. */
struct ss_gdn_rules {
	struct ss_names backend_fields;
	const struct ss_gdn_backend *backends;
	size_t backend_count;
	const char *fallback_backend;
	const char *original_backend; /**< the backend inside which the original is a choice */
	const char *typed_field;
	struct ss_names variables; /**< environment variables, strongest first */
	struct ss_names false_texts;
	bool default_on;
	const char *name_on;
	const char *name_off;
	const char *about_on;
	const char *about_off;
};

/** One weight format that the build serves. */
struct ss_weight_format {
	const char *name;
	struct ss_names aliases;
	int64_t bits;           /**< 0: varies */
	const char *moe_family; /**< NULL: no MoE bindings of its own */
};

/** Notices, one list of lines for each table. */
enum ss_notice {
	SS_NOTICE_REFERENCE,
	SS_NOTICE_OWNERS,
	SS_NOTICE_CODECS,
	SS_NOTICE_ROUTES,
	SS_NOTICE_BINDINGS,
	SS_NOTICE_FIELDS,
	SS_NOTICE_GDN,
	SS_NOTICE_COUNT
};

/**
 * A loaded reference, which nothing changes: threads share it freely. What an
 * imported document lacks (fields, order, rules) has a count of 0 and a
 * `has_` of false.
 */
struct ss_reference {
	const char *name;
	const char *version;
	struct ss_names notices[SS_NOTICE_COUNT];
	const struct ss_config_owner *owners;
	size_t owner_count;
	const struct ss_kv_codec *codecs;
	size_t codec_count;
	const struct ss_attention_route *routes;
	size_t route_count;
	const struct ss_moe_binding *bindings;
	size_t binding_count;
	bool has_fields;
	const struct ss_config_field *fields;
	size_t field_count;
	bool has_order;
	struct ss_route_order order;
	const struct ss_xqa_rule *xqa_rules;
	size_t xqa_rule_count;
	bool has_moe_rules;
	const struct ss_moe_settings *moe_settings;
	size_t moe_settings_count;
	const struct ss_moe_rule *moe_rules;
	size_t moe_rule_count;
	bool has_gdn;
	struct ss_gdn_rules gdn;
	const struct ss_weight_format *formats;
	size_t format_count;
	struct cJSON *document;       /**< the text all pointers lead into; not for callers */
	struct ss_allocation *memory; /**< likewise */
};

/**
 * Check an engine pack that carries a reference and index it.
 *
 * @param out  on success, a reference for the caller to ss_reference_free().
 * @param root the parsed pack; taken over on success and on failure.
 * @param file name for the problems; not kept.
 * @param problems every fault found; may be NULL.
 */
SS_API SS_NODISCARD enum ss_status ss_reference_from_json(struct ss_reference **out,
							  struct cJSON *root, const char *file,
							  struct ss_problems *problems);

/** The same from JSON text; `text` need not end in NUL and is not kept. */
SS_API SS_NODISCARD enum ss_status ss_reference_parse(struct ss_reference **out, const char *text,
						      size_t length, const char *file,
						      struct ss_problems *problems);

/** The same from a file. SS_EIO when it cannot be read. */
SS_API SS_NODISCARD enum ss_status ss_reference_load(struct ss_reference **out, const char *path,
						     struct ss_problems *problems);

/** Free a reference; NULL is fine. */
SS_API void ss_reference_free(struct ss_reference *reference);

/* ---- look-ups -------------------------------------------------------- */

/** Owner of `path`, or NULL. */
SS_API const struct ss_config_owner *ss_reference_owner(const struct ss_reference *reference,
							const char *path);

/**
 * Field at `owner.path.field`, following owners whose fields are those of
 * another. A path under an owner whose fields were not read gives its `*` row.
 * NULL when no owner has it.
 */
SS_API const struct ss_config_field *ss_reference_field(const struct ss_reference *reference,
							const char *path);

/**
 * Check a value text against the field's type and allowed values.
 *
 * @return SS_OK, or SS_EUSAGE with what would be right in `err`.
 */
SS_API SS_NODISCARD enum ss_status ss_config_field_check(const struct ss_config_field *field,
							 const char *value, struct ss_error *err);

/** Route by exact name, or NULL. */
SS_API const struct ss_attention_route *ss_reference_route(const struct ss_reference *reference,
							   const char *name);

/** Codec by symbol (`FP16`), or NULL. */
SS_API const struct ss_kv_codec *ss_codec_by_symbol(const struct ss_reference *reference,
						    const char *symbol);

/**
 * Codec of a cache dtype: the first whose aliases hold it, exactly and with
 * its case. NULL `cache_dtype` is `auto`. NULL when no codec has it.
 */
SS_API const struct ss_kv_codec *ss_codec_resolve(const struct ss_reference *reference,
						  const char *cache_dtype);

/** Weight format by name or alias, or NULL when the build does not serve it. */
SS_API const struct ss_weight_format *ss_weight_format_find(const struct ss_reference *reference,
							    const char *name);

/* ---- settings -------------------------------------------------------- */

/**
 * What the caller has stated. Either function may be NULL (nothing stated)
 * and returns NULL for what is unstated; the text stays the caller's.
 */
struct ss_settings {
	/** by path, `attention_config.flash_v100.options.bfla` */
	const char *(*option)(const void *context, const char *path);
	/** an environment variable of the serving host; never our own */
	const char *(*variable)(const void *context, const char *name);
	const void *context;
};

/** The text a setting has: stated, else the pack's default, else NULL. */
SS_API const char *ss_setting_text(const struct ss_reference *reference,
				   const struct ss_settings *settings, const char *name);

/** 1 on, 0 off, -1 when neither stated nor known. Case does not matter. */
SS_API int ss_setting_state(const struct ss_reference *reference,
			    const struct ss_settings *settings, const char *name);

/* ---- attention routes ------------------------------------------------ */

/** What is asked of the routes. All zero is "unstated", see each field. */
struct ss_route_request {
	enum ss_route_stage stage;
	const struct ss_kv_codec *codec; /**< NULL: the cache dtype has no codec */
	int64_t query_heads;             /**< on one rank */
	int64_t kv_heads;                /**< on one rank */
	int64_t head_dim;
	int64_t page_size;         /**< tokens of the resolved block */
	int64_t chunk;             /**< query length of one sequence's prefill; 0 elsewhere */
	int64_t rows;              /**< query rows in all; 0: chunk or 1, times sequences */
	int64_t sequence_rows;     /**< 0: equal to rows */
	int64_t rows_per_sequence; /**< 0: rows */
	int64_t sequences;         /**< 0: one */
	int64_t kv_len;            /**< length with prefix; 0: prefix + chunk */
	int64_t prefix_len;        /**< 0 in a prefill: kv_len - chunk */
	int64_t model_len;
	int64_t length_hint; /**< 0: kv_len (the longest context of the batch) */
	int64_t window;      /**< 0: none */
	int64_t partition;   /**< decode partition hint; 0: none */
	const char *backend; /**< attention backend asked for; NULL: the build's own */
	bool is_noncausal;
	bool is_contiguous;
	bool is_draft;
	bool is_anchored;
	bool is_tree;
	bool is_capturing;
	bool has_decode_rows; /**< decodes beside this prefill */
	bool is_unserved;     /**< the backend cannot serve the layer */
	bool lacks_metadata;
	struct ss_names disabled;           /**< routes that policy switched off */
	struct ss_names unavailable;        /**< routes whose native op is missing */
	struct ss_names absent_native;      /**< native ops that are missing, `paged_decode` */
	const struct ss_settings *settings; /**< NULL: nothing stated */
};

/** Query heads per KV head when they divide, else 0. */
SS_API int64_t ss_route_gqa(const struct ss_route_request *request);

/**
 * Would the declared shape (and, for XQA routes, the XQA rules) admit it?
 *
 * @param detail what was found and needed, for a refusal; may be NULL when
 *               size is 0.
 * @return NULL when admitted, else the first reason (`codec`, `min_chunk`,
 *         ...), which lives as long as the reference.
 */
SS_API const char *ss_route_admit(const struct ss_reference *reference,
				  const struct ss_attention_route *route,
				  const struct ss_route_request *request, char *detail,
				  size_t size);

/** What became of a candidate. */
enum ss_route_outcome {
	SS_ROUTE_CHOSEN,
	SS_ROUTE_REFUSED,  /**< `reason` says why */
	SS_ROUTE_LATER,    /**< admitted, after the winner */
	SS_ROUTE_RECORDED, /**< a record or observer, never chosen */
	SS_ROUTE_MAY_RUN,  /**< would be admitted; its place was not read */
	SS_ROUTE_RAISES,   /**< a gate that acts without a way out */
};

/** One thing that would have to change for a candidate. */
struct ss_route_need {
	char *text;         /**< `chunk 8000-8192, has 7840` */
	const char *option; /**< setting or variable that would flip it; NULL: none */
	const char *value;  /**< the value it would need; NULL without an option */
};

/** One candidate's verdict. */
struct ss_route_verdict {
	const struct ss_route_candidate *candidate;
	const struct ss_route_walk *walk;
	enum ss_route_outcome outcome;
	char *reason;                /**< one line; never NULL */
	struct ss_route_need *needs; /**< everything unmet, for a refused one */
	size_t need_count;
};

/** How a selection ended. */
enum ss_route_result {
	SS_RESULT_CHOSEN,
	SS_RESULT_NO_ROUTE,    /**< nothing left: a refusal */
	SS_RESULT_RAISES,      /**< the engine would raise: a refusal */
	SS_RESULT_NOT_ENTERED, /**< the stage is not tried for this request */
	SS_RESULT_RECORDS,     /**< only records stand here; nothing to choose */
};

/** What the executor would take, and why not the rest. */
struct ss_route_selection {
	enum ss_route_stage stage;
	enum ss_route_result result;
	char *message;                         /**< one line for every result; never NULL */
	const struct ss_route_verdict *winner; /**< NULL without one */
	const struct ss_route_verdict *inner; /**< inside the winner; NULL: plain, or not entered */
	bool entered_inner;
	const struct ss_route_verdict
		*beside; /**< takes the decode rows of a mixed batch; may be NULL */
	/** The last before the winner that could be chosen without opting in; NULL: none. */
	const struct ss_route_verdict *next_better;
	struct ss_route_verdict *verdicts; /**< in the order tried */
	size_t verdict_count;
};

/**
 * Walk the stage's candidates. A selection that finds nothing is still SS_OK:
 * see `result`.
 *
 * "Nearest" in next_better means the fewest needs, then the smallest step in
 * them, then the place closest to the winner.
 *
 * @param out overwritten; release it with ss_route_selection_release().
 */
SS_API SS_NODISCARD enum ss_status ss_route_select(struct ss_route_selection *out,
						   const struct ss_reference *reference,
						   const struct ss_route_request *request,
						   struct ss_error *err);

/**
 * How ss_route_select() would end, without its verdicts: allocates nothing.
 * SS_RESULT_NOT_ENTERED and SS_RESULT_RECORDS read as SS_RESULT_NO_ROUTE.
 */
SS_API enum ss_route_result ss_route_probe(const struct ss_reference *reference,
					   const struct ss_route_request *request);

/** Free what a selection holds. NULL is fine. */
SS_API void ss_route_selection_release(struct ss_route_selection *selection);

/* ---- MoE ------------------------------------------------------------- */

/** What is asked of the MoE selectors. 0 is unstated and matches no gate. */
struct ss_moe_request {
	const char *family; /**< `awq`, `fp8`, `mxfp4`, `nvfp4` (ss_weight_format.moe_family) */
	int64_t tokens;     /**< of the step on one rank */
	int64_t top_k;
	int64_t hidden;
	int64_t experts;
	int64_t tp;
	const char *model_family; /**< compared from its start, without case; may be NULL */
	const struct ss_settings *settings; /**< may be NULL */
};

/** What one binding of the family comes to. */
struct ss_moe_verdict {
	const struct ss_moe_binding *binding;
	bool is_chosen;
	const char *reason; /**< lives as long as the reference */
	const char *wants;  /**< what a rule that does not hold asks for, as `reason`; else NULL */
};

/**
 * The mode that the selector rules pick for each stage, row by row.
 *
 * @param out one verdict for each binding of the family, in pack order, up to
 *            `capacity`; may be NULL when that is 0.
 * @return how many there are.
 */
SS_API size_t ss_moe_select(struct ss_moe_verdict *out, size_t capacity,
			    const struct ss_reference *reference,
			    const struct ss_moe_request *request);

/* ---- GDN prefill ----------------------------------------------------- */

/** Yes, no or unstated. */
enum ss_fact {
	SS_UNSTATED,
	SS_YES,
	SS_NO,
};

/** What is asked of GDN prefill. */
struct ss_gdn_request {
	const char *compute_capability;     /**< `7.0`, or `sm70` */
	int64_t head_k;                     /**< state size of the node */
	const char *dtype;                  /**< after the override; `half` is `float16` */
	enum ss_fact nvcc;                  /**< a CUDA compiler on the serving host */
	const struct ss_settings *settings; /**< may be NULL */
};

/** Where the answer about the original kernels came from. */
enum ss_gdn_source {
	SS_GDN_NONE,     /**< not asked: another backend */
	SS_GDN_TYPED,    /**< the typed field */
	SS_GDN_VARIABLE, /**< an environment variable, `source_name` */
	SS_GDN_DEFAULT,  /**< nothing set */
};

/** Which GDN prefill runs. */
struct ss_gdn_choice {
	const char *backend;
	const char *inner; /**< NULL outside the backend that has the choice */
	enum ss_gdn_source source;
	const char *source_name; /**< field or variable; NULL for the default */
	bool is_override;        /**< the default fell back for want of nvcc */
	bool assumes_nvcc;       /**< the original runs and nvcc is unstated */
	bool warns_no_nvcc;      /**< the original was asked for and nvcc is absent */
	char requested[64];      /**< backend asked for, lower-cased */
	char reason[256];        /**< one line */
};

/** Choose. `out` is overwritten and holds nothing to free. */
SS_API void ss_gdn_select(struct ss_gdn_choice *out, const struct ss_reference *reference,
			  const struct ss_gdn_request *request);

/* ---- the tables as text --------------------------------------------- */

/** The tables of a reference, each with named columns. */
enum ss_table {
	SS_TABLE_OWNERS,
	SS_TABLE_CODECS,
	SS_TABLE_ROUTES,
	SS_TABLE_BINDINGS,
	SS_TABLE_FIELDS,
	SS_TABLE_ORDER,
	SS_TABLE_GDN,
	SS_TABLE_COUNT
};

/** `config_owners`, ...: the word for a command line. */
SS_API const char *ss_table_name(enum ss_table table);

/** `Configuration owners`, ...: the heading. */
SS_API const char *ss_table_title(enum ss_table table);

/** The notice lines that belong under the heading; may be empty. */
SS_API struct ss_names ss_table_notices(const struct ss_reference *reference, enum ss_table table);

SS_API size_t ss_table_rows(const struct ss_reference *reference, enum ss_table table);
SS_API size_t ss_table_columns(enum ss_table table);

/** How many columns, from the first, name a row. */
SS_API size_t ss_table_key_columns(enum ss_table table);

/** Name of a column; NULL past the last. */
SS_API const char *ss_table_column(enum ss_table table, size_t column);

/**
 * One cell as text: lists joined by ", ", lifecycle methods by "; ", nothing
 * for null. Like snprintf() it cuts at `size`, ends in NUL when `size` is not
 * 0, and returns the length of the whole.
 */
SS_API size_t ss_table_cell(char *out, size_t size, const struct ss_reference *reference,
			    enum ss_table table, size_t row, size_t column);

/**
 * Tell `take` of each link of a row to the other tables: its fields, owner,
 * codecs, routes, places in the order, or the rules that select it.
 *
 * @param take called with `context`, the kind of the link and its text, both
 *             borrowed for the call.
 */
SS_API void ss_table_links(const struct ss_reference *reference, enum ss_table table, size_t row,
			   void (*take)(void *context, const char *kind, const char *text),
			   void *context);

/* ---- render, import, compare ----------------------------------------- */

/**
 * The reference as Markdown, in four sections, the same bytes every time.
 *
 * @param out malloc'd text ending in NUL, for the caller to free().
 * @param length may be NULL.
 */
SS_API SS_NODISCARD enum ss_status ss_reference_markdown(char **out, size_t *length,
							 const struct ss_reference *reference);

/** The pack as JSON: keys sorted, rows in the order of the Markdown. */
SS_API SS_NODISCARD enum ss_status ss_reference_json(char **out, size_t *length,
						     const struct ss_reference *reference);

/**
 * Read a generated reference in Markdown: with pipe tables, or as flattened
 * text whose rows break after the first cell.
 *
 * @param name    engine name of the pack to make, `vllm`.
 * @param version its version, `sm70`.
 * @param file    name for the problems, which read `file:line`.
 */
SS_API SS_NODISCARD enum ss_status ss_reference_import(struct ss_reference **out, const char *text,
						       size_t length, const char *name,
						       const char *version, const char *file,
						       struct ss_problems *problems);

/** What a comparison covers. */
enum ss_compare_scope {
	SS_COMPARE_TABLES, /**< the columns that a Markdown reference has */
	SS_COMPARE_ALL,    /**< also native names, fields and the order, where both have them */
};

/** How many rows differ. */
struct ss_comparison {
	size_t added;
	size_t removed;
	size_t changed;
	char *text; /**< unified summary, empty when equal; release with free() */
};

/** Compare two references. Names head the summary. `out` is overwritten. */
SS_API SS_NODISCARD enum ss_status
ss_reference_compare(struct ss_comparison *out, const struct ss_reference *from,
		     const char *from_name, const struct ss_reference *to, const char *to_name,
		     enum ss_compare_scope scope);

#ifdef __cplusplus
}
#endif

#endif
