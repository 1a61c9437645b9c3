/**
 * @file
 * The words of `stepscope engine`: what it reads by, and what help, manual and
 * completion say of them.
 */
#ifndef CLI_ENGINE_WORDS_H
#define CLI_ENGINE_WORDS_H

/* clang-format off */
/* id, name, arguments, has options of its own, help */
#define ENGINE_COMMAND_LIST(X)                                                                          \
	X(list,   "list",   "[TABLE]", false, "the tables, or the rows of one")                 \
	X(show,   "show",   "NAME",    false, "an owner, a field, a codec, a route or a binding") \
	X(admit,  "admit",  "",        true, "the route a request would take, and why no other") \
	X(render, "render", "[PACK]",  false, "the reference as Markdown")                      \
	X(check,  "check",  "FILE",    false, "compare a generated reference with the pack")    \
	X(import, "import", "FILE",    false, "read a generated reference into a pack, see -o") \
	X(diff,   "diff",   "A B",     false, "what changed between two packs or references")

/* name, argument, help: options of every word */
#define ENGINE_OPTION_LIST(X)                                                                  \
	X("--pack",    "NAME",        "the pack to read")                                      \
	X("--where",   "COLUMN=TEXT", "list: rows with TEXT in a column; may be repeated")     \
	X("--sort",    "COLUMN",      "list: in the order of a column")                        \
	X("--exact",   "",            "check: byte for byte what would be rendered")           \
	X("--name",    "NAME",        "import: the engine of the pack written (vllm)")         \
	X("--force",   "",            "write over a file that is there, see -o")               \
	X("--version", "VERSION",     "import: its release (sm70)")

/* name, argument, member of struct ss_route_request, help: numbers of a request */
#define ADMIT_NUMBER_LIST(X)                                                                       \
	X("--head-dim",          "D", head_dim,          "width of a head")                        \
	X("--page",              "P", page_size,         "tokens of a block")                      \
	X("--chunk",             "N", chunk,             "prompt tokens of one sequence's prefill") \
	X("--kv",                "N", kv_len,            "length with what is cached")             \
	X("--prefix",            "N", prefix_len,        "tokens cached before the chunk")         \
	X("--rows",              "N", rows,              "query rows in all")                      \
	X("--rows-per-sequence", "N", rows_per_sequence, "query rows of one sequence")             \
	X("--sequence-rows",     "N", sequence_rows,     "query rows that belong to sequences")    \
	X("--sequences",         "N", sequences,         "sequences in the batch (1)")             \
	X("--model-len",         "N", model_len,         "max_model_len")                          \
	X("--hint",              "N", length_hint,       "longest context of the batch")           \
	X("--window",            "N", window,            "sliding window (none)")                  \
	X("--partition",         "N", partition,         "decode partition hint (none)")

/* name, member of struct ss_route_request, help: facts of a request */
#define ADMIT_FLAG_LIST(X)                                                             \
	X("--noncausal",   is_noncausal,    "attention is not causal")                 \
	X("--contiguous",  is_contiguous,   "the cache is contiguous")                 \
	X("--draft",       is_draft,        "a draft model's layer")                   \
	X("--anchored",    is_anchored,     "an anchored draft")                       \
	X("--tree",        is_tree,         "a tree of drafts")                        \
	X("--capturing",   is_capturing,    "a CUDA graph is being captured")          \
	X("--decode-rows", has_decode_rows, "decodes stand beside this prefill")       \
	X("--unserved",    is_unserved,     "the backend cannot serve the layer")      \
	X("--no-metadata", lacks_metadata,  "the metadata of the batch is missing")

/* name, argument, help: the rest of a request */
#define ADMIT_TEXT_LIST(X)                                                                  \
	X("--stage",       "STAGE",      "which stage: decode, verify, prefill, ...")       \
	X("--codec",       "CODEC",      "KV codec, by cache dtype or symbol")              \
	X("--backend",     "BACKEND",    "attention backend asked for")                     \
	X("--heads",       "Q/KV",       "query and KV heads of one rank, as 24/4")         \
	X("--option",      "PATH=VALUE", "a setting of the build; may be repeated")         \
	X("--env",         "NAME=VALUE", "a variable of the serving host; may be repeated") \
	X("--disable",     "ROUTE",      "a route that policy switched off; may be repeated") \
	X("--unavailable", "ROUTE",      "a route whose native op is missing; may be repeated") \
	X("--absent",      "OP",         "a native op that is missing; may be repeated")
/* clang-format on */

#endif
