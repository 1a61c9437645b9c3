/**
 * @file
 * The tables of commands and options. Parsing, --help, the manual page and the
 * shells' completion all read these and nothing else.
 */
#ifndef CLI_COMMANDS_H
#define CLI_COMMANDS_H

#include <stdbool.h>
#include <stddef.h>

struct batch;

/** Groups of options that commands take. */
enum option_group {
	OPTIONS_OUTPUT = 1 << 0,   /**< where and how it is printed */
	OPTIONS_REGISTRY = 1 << 1, /**< where documents are found */
	OPTIONS_CASE = 1 << 2,     /**< which scenario, and what is changed in it */
	OPTIONS_PRICE = 1 << 3,    /**< how the batch is priced */
	OPTIONS_ONLY = 1 << 4,     /**< choose sections */
	OPTIONS_SWEEP = 1 << 5,
	OPTIONS_COMPARE = 1 << 6,
	OPTIONS_FIT = 1 << 7,
	OPTIONS_PROGRAM = 1 << 8, /**< of the program itself, before any command */
	OPTIONS_CHECK = 1 << 9,   /**< fail on what does not fit */
	OPTIONS_EXPORT = 1 << 10,
	OPTIONS_OWN = 1 << 11, /**< the command reads the words behind it by itself */
	OPTIONS_TOUR = 1 << 12,
	OPTIONS_BATCH = 1 << 13, /**< the batch itself */
	OPTIONS_MERGE = 1 << 14,
	OPTIONS_IMPORT = 1 << 15, /**< reading what others wrote */
	OPTIONS_AUDIT = 1 << 16,
	OPTIONS_LOAD = 1 << 17,  /**< what is served */
	OPTIONS_SERVE = 1 << 18, /**< what is made of it */
	OPTIONS_SCORE = 1 << 19, /**< published runs */
	OPTIONS_PLAN = 1 << 20,  /**< how many GPUs a rate takes */
};

/** What an option's argument is, for completion. */
enum option_kind {
	KIND_NONE, /**< no argument */
	KIND_TEXT,
	KIND_NUMBER,
	KIND_FILE,
	KIND_FOLDER,
	KIND_MODEL,
	KIND_PART,
	KIND_FABRIC,
	KIND_FIELD,       /**< PATH=VALUE */
	KIND_COEFFICIENT, /**< NAME=VALUE */
	KIND_AXIS,        /**< AXIS=VALUES */
	KIND_COLUMN,      /**< of a sweep */
	KIND_DIVERGENCE,
	KIND_SECTION,
	KIND_WORDS, /**< one of the words in `words` */
};

/* clang-format off */
/* id, long name, short letter, argument, what it is, words, groups, help */
#define OPTION_LIST(X)                                                                                                        \
	X(REGISTRY,    "registry",    0,   "DIR",        FOLDER, NULL, OPTIONS_REGISTRY | OPTIONS_CASE, "look for documents in DIR first") \
	X(DIRECTORY,   "directory",   'C', "DIR",        FOLDER, NULL, OPTIONS_REGISTRY | OPTIONS_CASE | OPTIONS_OUTPUT, "work in DIR")    \
	X(SET,         "set",         0,   "PATH=VALUE", FIELD,  NULL, OPTIONS_CASE, "change a setting; an empty VALUE leaves it unstated; may be repeated") \
	X(ARGS,        "args",        0,   "FLAGS",      TEXT,   NULL, OPTIONS_CASE, "settings as the flags of a `vllm serve` line, pasted") \
	X(POOL,        "pool",        0,   "POOL",       TEXT,   NULL, OPTIONS_CASE, "the pool to price: its number from 0, or its role")  \
	X(MODEL,       "model",       0,   "MODEL",      MODEL,  NULL, OPTIONS_CASE, "no SCENARIO file: this model, on --part")           \
	X(PART,        "part",        0,   "PART",       PART,   NULL, OPTIONS_CASE, "the GPU of a scenario made by --model")              \
	X(NODES,       "nodes",       0,   "N",          NUMBER, NULL, OPTIONS_CASE, "its nodes (1)")                                      \
	X(GPUS_PER_NODE, "gpus-per-node", 0, "N",        NUMBER, NULL, OPTIONS_CASE, "GPUs in each (the part's usual number, else 8)")     \
	X(GPUS_PER_RACK, "gpus-per-rack", 0, "N",        NUMBER, NULL, OPTIONS_CASE, "GPUs of a rack, where a rack is a link tier")        \
	X(FABRIC,      "fabric",      0,   "FABRIC",     FABRIC, NULL, OPTIONS_CASE, "the network between its nodes")                      \
	X(INTER_NODE,  "inter-node-gb-s", 0, "X",        NUMBER, NULL, OPTIONS_CASE, "GB/s per GPU between nodes, instead of a fabric")    \
	X(ENGINE_VERSION, "engine-version", 0, "VERSION", TEXT,  NULL, OPTIONS_CASE | OPTIONS_SCORE, "its engine release; compare takes several, apart by commas")                                 \
	X(BATCH,       "batch",       0,   "SPEC",       TEXT,   NULL, OPTIONS_BATCH, "the batch: 32x4096 decodes at a context, 1x8192p prefills, COUNTxSCHEDULEDs+COMPUTED, comma between groups, or empty") \
	X(DECODE_THRESHOLD, "decode-threshold", 0, "N",  NUMBER, NULL, OPTIONS_BATCH, "more new tokens than this make a request a prefill") \
	X(SM_BUDGET,   "sm-budget",   0,   "N",          NUMBER, NULL, OPTIONS_PRICE, "SMs the step may use")                              \
	X(COEF,        "coef",        0,   "NAME=VALUE", COEFFICIENT, NULL, OPTIONS_PRICE | OPTIONS_SCORE, "try a coefficient at another value; an empty VALUE is that of its set; may be repeated") \
	X(FIGURE,      "figure",      0,   "FIGURE",     WORDS,  "serial no_overlap overlap kernels", OPTIONS_PRICE | OPTIONS_SCORE, "the figure that leads (kernels where the part has their times, else serial); compare and score take two: serial,kernels") \
	X(CORRECT,     "correct",     0,   "NAME",       DIVERGENCE, NULL, OPTIONS_PRICE | OPTIONS_SCORE, "price without a known divergence: its name, all or none; may be repeated") \
	X(SPREAD,      "spread",      0,   "METHOD=X",   TEXT,   NULL, OPTIONS_PRICE, "spread of a method's values for the band, as a share; may be repeated") \
	X(TTFT,        "ttft",        0,   "N",          NUMBER, NULL, OPTIONS_PRICE, "also the time to first token of a prompt of N tokens") \
	X(ACCEPTANCE,  "acceptance",  0,   "X",          NUMBER, NULL, OPTIONS_PRICE, "share of drafted tokens accepted, 0 to 1 (0)")      \
	X(REQUIRE_FIT, "require-fit", 0,   NULL,         NONE,   NULL, OPTIONS_CHECK, "status 1 when it does not fit or a limit is passed") \
	X(ONLY,        "only",        0,   "A,B",        SECTION, NULL, OPTIONS_ONLY, "print these sections (columns, of a sweep) alone")   \
	X(VARY,        "vary",        0,   "AXIS=VALUES", AXIS, NULL, OPTIONS_SWEEP | OPTIONS_PLAN, "a field, batch, context or coef:NAME over values: 1,2,4 or 1..9 or 1..256:x2 or 1..9:+2; may be repeated, the last varies fastest") \
	X(WHERE,       "where",       0,   "TEST",       TEXT,   NULL, OPTIONS_SWEEP | OPTIONS_SCORE, "rows that pass alone: fits, priced (of a sweep), or COLUMN OP VALUE (=, !=, <, <=, >, >=); may be repeated") \
	X(BEST,        "best",        0,   "COLUMN",     COLUMN, NULL, OPTIONS_SWEEP, "print the best rows by a column, best first")       \
	X(TOP,         "top",         0,   "N",          NUMBER, NULL, OPTIONS_SWEEP, "how many of the best (1)")                          \
	X(JOBS,        "jobs",        'j', "N",          NUMBER, NULL, OPTIONS_SWEEP | OPTIONS_SCORE, "threads (every core)")                              \
	X(SHARD,       "shard",       0,   "I/N",        TEXT,   NULL, OPTIONS_SWEEP, "the I-th of N parts, from 1; the parts in order make the whole") \
	X(PLAN,        "plan",        0,   "SITE",       WORDS,  "parallel slurm k8s", OPTIONS_SWEEP, "print a script that runs the sweep in shards by GNU parallel, Slurm or Kubernetes, then merges them") \
	X(SHARDS,      "shards",      0,   "N",          NUMBER, NULL, OPTIONS_SWEEP, "how many shards --plan makes (16)")                  \
	X(EXPECT,      "expect",      0,   "N",          NUMBER, NULL, OPTIONS_MERGE, "rows that must be there: status 1 when one is missing") \
	X(STDIN_JOBS,  "stdin-jobs",  0,   NULL,         NONE,   NULL, OPTIONS_SWEEP, "no --vary: price one case a line of standard input, JSON objects of axes, and answer in order") \
	X(RESUME,      "resume",      0,   "FILE",       FILE,   NULL, OPTIONS_SWEEP, "go on after the last whole row of FILE, adding to it") \
	X(EXIT_CODE,   "exit-code",   0,   NULL,         NONE,   NULL, OPTIONS_COMPARE, "status 1 when they differ")                       \
	X(TO,          "to",          0,   "FORM",       WORDS,  "vllm json markdown", OPTIONS_EXPORT, "what to write: vllm serve commands, or the report") \
	X(CONTAINER,   "container",   0,   "NAME",       TEXT,   NULL, OPTIONS_IMPORT, "of several commands or containers this one: its number in the list, or its name") \
	X(STRICT,      "strict",      0,   NULL,         NONE,   NULL, OPTIONS_IMPORT, "refuse what would be passed over with a warning: unknown flags and models, blanks, a choice not made") \
	X(LENGTH,      "length",      0,   "N",          NUMBER, NULL, OPTIONS_FIT, "requests of N tokens, prompt and output")             \
	X(LOAD,        "load",        0,   "SPEC",       TEXT,   NULL, OPTIONS_LOAD, "what is served: 1024/512@64 (tokens in and out, at once), 1024/512@20/s, 800..1024/512, or a workload's name, chatbot@20/s") \
	X(SLO,         "slo",         0,   "TERMS",      TEXT,   NULL, OPTIONS_LOAD, "what users are promised: ttft=500ms,tpot=30ms,e2e=20s, each at p90 or as @p99") \
	X(TRACE,       "trace",       0,   "FILE",       FILE,   NULL, OPTIONS_LOAD, "arrivals and lengths of a trace, CSV or JSON Lines")  \
	X(SPEEDUP,     "speedup",     0,   "X",          NUMBER, NULL, OPTIONS_LOAD, "play the trace so many times as fast")              \
	X(REQUESTS,    "requests",    0,   "N",          NUMBER, NULL, OPTIONS_LOAD, "requests of the load, or of the trace")             \
	X(SEED,        "seed",        0,   "N",          NUMBER, NULL, OPTIONS_LOAD, "of random lengths and gaps (0)")                    \
	X(INPUT_LEN,   "random-input-len", 0, "N",       NUMBER, NULL, OPTIONS_LOAD, "as `vllm bench serve` takes it: tokens in (1024)")  \
	X(OUTPUT_LEN,  "random-output-len", 0, "N",      NUMBER, NULL, OPTIONS_LOAD, "the same: tokens out (128)")                        \
	X(RANGE_RATIO, "random-range-ratio", 0, "R",     NUMBER, NULL, OPTIONS_LOAD, "the same: lengths from 1 - R to 1 + R of those (0)") \
	X(PREFIX_LEN,  "random-prefix-len", 0, "N",      NUMBER, NULL, OPTIONS_LOAD, "the same: tokens all prompts begin with (0)")       \
	X(NUM_PROMPTS, "num-prompts", 0,   "N",          NUMBER, NULL, OPTIONS_LOAD, "the same: requests (1000 with a random length)")    \
	X(MAX_CONCURRENCY, "max-concurrency", 0, "N",    NUMBER, NULL, OPTIONS_LOAD, "the same: requests at once")                        \
	X(REQUEST_RATE, "request-rate", 0, "X",          NUMBER, NULL, OPTIONS_LOAD, "the same: requests a second, or inf")               \
	X(BURSTINESS,  "burstiness",  0,   "X",          NUMBER, NULL, OPTIONS_LOAD, "the same: shape of the gaps (1)")                   \
	X(GOODPUT,     "goodput",     0,   "TERMS",      TEXT,   NULL, OPTIONS_LOAD, "the same: ttft:500 tpot:30, in ms")                 \
	X(FIND,        "find",        0,   "WHAT",       WORDS,  "rate concurrency", OPTIONS_SERVE, "find the largest rate or concurrency that meets --slo") \
	X(RATE,        "rate",        0,   "X",          TEXT,   NULL, OPTIONS_PLAN, "requests a second that are wanted, as 20/s (the load's own)") \
	X(TP,          "tp",          0,   "A,B",        TEXT,   NULL, OPTIONS_PLAN, "tensor-parallel widths to try (with --model: 1, 2, 4 ... as a node holds)") \
	X(GPU_COST,    "gpu-cost",    0,   "PART=X",     TEXT,   NULL, OPTIONS_PLAN, "what a GPU of the part costs an hour, in your money: h100=2.5,h200=3.2; the cheapest is first, else the fewest GPUs") \
	X(REQUESTS_OUT, "requests-out", 0, "FILE",       FILE,   NULL, OPTIONS_SERVE, "write one row a request, CSV or, by the name, JSON Lines") \
	X(TIMELINE,    "timeline",    0,   "FILE",       FILE,   NULL, OPTIONS_SERVE, "write running, waiting and KV use over time, the same") \
	X(MAX_MEDIAN,  "max-median",  0,   "X",          NUMBER, NULL, OPTIONS_SCORE, "status 1 when the median error is above X percent") \
	X(SERVED,      "serve",       0,   NULL,         NONE,   NULL, OPTIONS_SCORE, "also play each load through the scheduler, as the command serve does: time per output token and to the first") \
	X(FORMAT,      "format",      0,   "FORMAT",     WORDS,  "text json jsonl csv markdown sqlite", OPTIONS_OUTPUT, "how to print (text); csv: one table, or each into the folder -o FOLDER/; jsonl: a sweep, a row a line; sqlite: a sweep, into the FILE of -o")           \
	X(JSON,        "json",        0,   NULL,         NONE,   NULL, OPTIONS_OUTPUT, "short for --format json")                          \
	X(OUTPUT,      "output",      'o', "FILE",       FILE,   NULL, OPTIONS_OUTPUT, "print into FILE")                                  \
	X(FORCE,       "force",       0,   NULL,         NONE,   NULL, OPTIONS_OUTPUT, "write over files that are there")              \
	X(QUIET,       "quiet",       'q', NULL,         NONE,   NULL, OPTIONS_OUTPUT, "no progress and no remarks on standard error")     \
	X(COLOR,       "color",       0,   "WHEN",       WORDS,  "auto always never", OPTIONS_OUTPUT, "colour the text (auto: on a terminal)") \
	X(AUTO,        "auto",        0,   "N",          NUMBER, NULL, OPTIONS_TOUR, "go on by itself every N seconds")                   \
	X(CHECK,       "check",       0,   NULL,         NONE,   NULL, OPTIONS_TOUR, "run it without a terminal; status 1 when an expectation is not met") \
	X(CHECK_REVIEW, "check",      0,   "REVIEW",     FILE,   NULL, OPTIONS_AUDIT, "check a review, NAME.review.json: status 1 when an assumed entry is not accepted, or not at its value") \
	X(MOUSE,       "mouse",       0,   NULL,         NONE,   NULL, OPTIONS_PROGRAM | OPTIONS_TOUR, "the explorer takes the mouse")                  \
	X(ASCII,       "ascii",       0,   NULL,         NONE,   NULL, OPTIONS_PROGRAM | OPTIONS_TOUR, "the explorer draws with ASCII alone")           \
	X(BLOCKS,      "blocks",      0,   NULL,         NONE,   NULL, OPTIONS_PROGRAM | OPTIONS_TOUR, "plots of half blocks, for fonts without braille") \
	X(HELP,        "help",        'h', NULL,         NONE,   NULL, OPTIONS_OUTPUT | OPTIONS_PROGRAM, "show help")                      \
	X(VERSION,     "version",     'V', NULL,         NONE,   NULL, OPTIONS_PROGRAM, "show the version")

/** What `list` lists. */
#define LIST_WORDS "models parts scenarios sets fields engines fabrics workloads times registry"

#define PRICED (OPTIONS_OUTPUT | OPTIONS_CASE | OPTIONS_BATCH | OPTIONS_PRICE | OPTIONS_ONLY | OPTIONS_CHECK)
/* id, name, arguments, fewest and most of them, groups of options, function, help */
#define COMMAND_LIST(X)                                                                                           \
	X(REPORT,      "report",      "[SCENARIO]", 0, 1, PRICED, run_report, "everything: price, memory, resolution, evidence, provenance; in Markdown, an audit to sign") \
	X(PRICE,       "price",       "[SCENARIO]", 0, 1, PRICED, run_price, "what a step costs, whether it fits, what it rests on") \
	X(RESOLVE,     "resolve",     "[SCENARIO]", 0, 1, PRICED, run_resolve, "the configuration that would run, and what was overridden") \
	X(PROVENANCE,  "provenance",  "[SCENARIO]", 0, 1, PRICED, run_provenance, "every value in scope and where it comes from") \
	X(EVIDENCE,    "evidence",    "[SCENARIO]", 0, 1, PRICED, run_evidence, "how much of the price was measured, and what was assumed") \
	X(WALK,        "walk",        "[SCENARIO]", 0, 1, PRICED, run_walk, "the assumed entries one by one, by influence")   \
	X(MEMORY,      "memory",      "[SCENARIO]", 0, 1, PRICED, run_memory, "bytes of one rank, the KV pool and what fits") \
	X(LAYERS,      "layers",      "[SCENARIO]", 0, 1, PRICED, run_layers, "the step by layer kind and term")            \
	X(KERNELS,     "kernels",     "[SCENARIO]", 0, 1, PRICED, run_kernels, "each measured kernel apart: floor, depth, reads, math, its curve and where the step stands") \
	X(MODEL,       "model",       "[SCENARIO]", 0, 1, PRICED, run_model, "the model graph and what each kind of layer costs") \
	X(SENSITIVITY, "sensitivity", "[SCENARIO]", 0, 1, PRICED, run_sensitivity, "how far each value moves the price")   \
	X(SWEEP,       "sweep",       "[SCENARIO]", 0, 1, PRICED | OPTIONS_SWEEP | OPTIONS_LOAD, run_sweep, "price every combination of values; columns as ttft_p90 or goodput play the load before each") \
	X(MERGE,       "merge",       "FILE...", 1, 1000000, OPTIONS_OUTPUT | OPTIONS_MERGE, run_merge, "join the shards of a sweep in order; missing and repeated rows are said") \
	X(COMPARE,     "compare",     "A [B]", 1, 2, PRICED | OPTIONS_COMPARE, run_compare, "what differs between two scenarios, or A and A changed") \
	X(DIFF,        "diff",        "A [B]", 1, 2, PRICED | OPTIONS_COMPARE, run_compare, "the same as compare")       \
	X(SERVE,       "serve",       "[SCENARIO]", 0, 1, PRICED | OPTIONS_LOAD | OPTIONS_SERVE, run_serve, "play a load through the engine's scheduler: latencies, throughput, goodput, where the time goes") \
	X(PLAN,        "plan",        "[SCENARIO]", 0, 1, (PRICED & ~(unsigned)OPTIONS_CHECK) | OPTIONS_LOAD | OPTIONS_PLAN, run_plan, "GPUs and replicas that carry a rate under --slo, over parts (--part h100,h200) and widths, cheapest first, with their commands") \
	X(SCORE,       "score",       "[FILE [SCENARIO]]", 0, 2, OPTIONS_OUTPUT | OPTIONS_CASE | OPTIONS_ONLY | OPTIONS_SCORE, run_score, "published serving runs (FILE.csv, or those of the registry) against the price, or a result that `vllm bench serve` saved (FILE.json) against its load played: how far off it is") \
	X(FIT,         "fit",         "[SCENARIO]", 0, 1, PRICED | OPTIONS_FIT | OPTIONS_LOAD, run_fit, "does it fit, and what would; with --slo, the load it carries")         \
	X(ENGINE,      "engine",      "WHAT ...", 0, 1000000, OPTIONS_OWN, run_engine, "the engine reference: list, show, admit, render, check, import or diff") \
	X(IMPORT,      "import",      "SRC...", 1, 1000000, OPTIONS_OUTPUT | OPTIONS_CASE | OPTIONS_IMPORT, run_import, "documents from what starts vLLM (commands, scripts, Markdown, compose, Kubernetes, Helm values, systemd), a start-up log, a config.json or BLIS YAML; -o names a folder") \
	X(AUDIT,       "audit",       "[SCENARIO]", 0, 1, PRICED | OPTIONS_AUDIT, run_audit, "the report in Markdown, for a reviewer to sign, with the review beside the scenario; or check a review") \
	X(EXPORT,      "export",      "[SCENARIO]", 0, 1, OPTIONS_OUTPUT | OPTIONS_CASE | OPTIONS_BATCH | OPTIONS_PRICE | OPTIONS_EXPORT, run_export, "write the deployment as vllm serve commands, or its report") \
	X(VALIDATE,    "validate",    "FILE...", 1, 1000000, OPTIONS_OUTPUT | OPTIONS_REGISTRY, run_validate, "read documents and report every problem") \
	X(LIST,        "list",        "WHAT", 1, 1, OPTIONS_OUTPUT | OPTIONS_REGISTRY, run_list, "the names of a kind: " LIST_WORDS) \
	X(NEW,         "new",         "", 0, 0, OPTIONS_OUTPUT | OPTIONS_CASE | OPTIONS_BATCH, run_new, "write a scenario made by --model and --part") \
	X(TOUR,        "tour",        "FILE", 1, 1, OPTIONS_OUTPUT | OPTIONS_REGISTRY | OPTIONS_TOUR, run_tour, "play a script for an audience: a file, or a name in scenarios/tours") \
	X(HELP,        "help",        "[TOPIC]", 0, 1, OPTIONS_OUTPUT, run_help, "this list, a command, or a page of the manual: manual, tutorial, registry, laws") \
	X(DIVERGENCES, "divergences", "", 0, 0, OPTIONS_OUTPUT, run_divergences, "laws known to differ from the engine, and what can be corrected")
/* clang-format on */

enum option_id {
#define X(id, ...) OPT_##id,
	OPTION_LIST(X)
#undef X
		OPT_COUNT,
};

struct option_row {
	enum option_id id;
	const char *name;
	char letter;          /**< 0: none */
	const char *argument; /**< NULL: takes none */
	enum option_kind kind;
	const char *words; /**< for KIND_WORDS, apart by one blank */
	unsigned groups;
	const char *help;
};

enum command_id {
#define X(id, ...) COMMAND_##id,
	COMMAND_LIST(X)
#undef X
		COMMAND_COUNT,
};

struct command {
	enum command_id id;
	const char *name, *arguments;
	size_t least, most;
	unsigned groups;
	int (*run)(struct batch *batch); /**< returns the exit status */
	const char *help;
};

const struct option_row *option_row(enum option_id id);
const struct command *command_row(enum command_id id);

/** By exact name; NULL when there is none. */
const struct command *command_find(const char *name);
/** Does the command (NULL: the program without one) take the option? */
bool command_takes(const struct command *command, const struct option_row *option);
/** The command nearest to a name; NULL when none is close. */
const char *command_nearest(const char *name);
/** By long name, exact: the one that the command takes, else any; NULL when there is none. */
const struct option_row *option_find(const struct command *command, const char *name);
/** By letter. */
const struct option_row *option_of_letter(char letter);

#endif
