#include "import/import_vllm.h"

#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "import/export_vllm.h"
#include "import/vllm_flags.h"
#include "stepscope/kernel.h"
#include "stepscope/registry.h"

static const char *const models[] = { "deepseek-v3", "llama-3.1-8b-instruct", "qwen3-14b",
				      "qwen3.6-27b", "qwen3.6-27b-awq" };
static const char *const sets[] = { "one", "two" };

static struct ss_registry *registry;

static cJSON *read_config(void *context, const char *path, struct ss_error *err)
{
	(void)context;
	if (!strcmp(path, "serve.yaml"))
		return cJSON_Parse("{\"model\": \"Qwen/Qwen3-14B\", \"tensor-parallel-size\": 4,"
				   "\"max_model_len\": 4096, \"enable-prefix-caching\": false}");
	ss_fail(err, SS_EIO, path, "no such file");
	return NULL;
}

static struct vllm_import_options test_options(void)
{
	return (struct vllm_import_options){
		.file = "-",
		.part = "h200",
		.fabric = "ib",
		.models = models,
		.model_count = sizeof(models) / sizeof(models[0]),
		.names = ss_registry_model_names(registry, NULL),
		.coefficients = sets,
		.coefficient_count = 2,
		.read_config = read_config,
	};
}

/** "path=value ..." of what a pool and the scenario state beside names; the caller frees. */
static char *show(const struct ss_scenario *scenario)
{
	char *out = NULL;
	size_t size = 0;
	FILE *f = open_memstream(&out, &size);

	assert_non_null(f);
	for (size_t pool = 0; pool < scenario->pool_count; pool++) {
		for (size_t i = 0; i < SS_FIELD_COUNT; i++) {
			const struct ss_field *field = ss_field((enum ss_field_id)i);
			const struct ss_value *value = ss_scenario_value(scenario, pool, field->id);
			char text[256];

			if (!value->is_stated || (field->owner != SS_OWNER_POOL && pool) ||
			    (field->owner != SS_OWNER_POOL &&
			     field->section != SS_SECTION_CLUSTER && field->id != SS_F_MODEL &&
			     field->id != SS_F_ENGINE_VERSION && field->id != SS_F_PD_CONNECTOR))
				continue;
			ss_value_format(text, sizeof(text), field, value);
			fprintf(f, "%s%s=%s", ftell(f) ? " " : "", field->path, text);
		}
	}
	fclose(f);
	return out;
}

#define HEAD(model, gpus) \
	"model=" model    \
	" engine_version=0.31.0 cluster.hardware=h200 cluster.nodes=1 cluster.gpus_per_node=" gpus
#define WIDTHS(tp, pp, dp) \
	" role=colocated nodes=1 parallel.tp=" tp " parallel.pp=" pp " parallel.dp=" dp
#define LLAMA "vllm serve meta-llama/Llama-3.1-8B-Instruct "
#define PLAIN HEAD("llama-3.1-8b-instruct", "1") WIDTHS("1", "1", "1")

/* Command lines in every shape, and what they must state. */
/* clang-format off */
static const struct {
	const char *command, *stated;
} commands[] = {
	{ "vllm serve meta-llama/Llama-3.1-8B-Instruct", PLAIN },
	{ LLAMA "--tensor-parallel-size 4", HEAD("llama-3.1-8b-instruct", "4") WIDTHS("4", "1", "1") },
	{ LLAMA "--tensor-parallel-size=4", HEAD("llama-3.1-8b-instruct", "4") WIDTHS("4", "1", "1") },
	{ LLAMA "--tensor_parallel_size 4", HEAD("llama-3.1-8b-instruct", "4") WIDTHS("4", "1", "1") },
	{ LLAMA "-tp 4 -pp 2", HEAD("llama-3.1-8b-instruct", "8") WIDTHS("4", "2", "1") },
	{ LLAMA "-tp=2 -dp=4", HEAD("llama-3.1-8b-instruct", "8") WIDTHS("2", "1", "4") },
	{ LLAMA "-tp 8 -dcp 2", HEAD("llama-3.1-8b-instruct", "8") WIDTHS("8", "1", "1") " parallel.dcp=2" },
	{ LLAMA "-tp 2 -pcp 2 -ep", HEAD("llama-3.1-8b-instruct", "4") WIDTHS("2", "1", "1") " parallel.pcp=2 parallel.enable_expert_parallel=true" },
	{ "vllm serve --model Qwen/Qwen3-14B", HEAD("qwen3-14b", "1") WIDTHS("1", "1", "1") },
	{ "vllm serve Qwen/Qwen3.6-27B-AWQ", HEAD("qwen3.6-27b-awq", "1") WIDTHS("1", "1", "1") },
	{ "vllm serve Qwen/Qwen3.6-27B-FP8", HEAD("qwen3.6-27b", "1") WIDTHS("1", "1", "1") " engine.quantization=fp8" },
	{ "vllm serve deepseek-ai/DeepSeek-V3 \\\n  --tensor-parallel-size 8 \\\n  --enable-expert-parallel\n", HEAD("deepseek-v3", "8") WIDTHS("8", "1", "1") " parallel.enable_expert_parallel=true" },
	{ LLAMA "--max-model-len 32k", PLAIN " engine.max_model_len=32000" },
	{ LLAMA "--max-model-len 32K", PLAIN " engine.max_model_len=32768" },
	{ LLAMA "--max-model-len 25.6k", PLAIN " engine.max_model_len=25600" },
	{ LLAMA "--max-model-len auto", PLAIN " engine.max_model_len=auto" },
	{ LLAMA "--max-model-len -1", PLAIN " engine.max_model_len=auto" },
	{ LLAMA "--kv-cache-memory-bytes 10G", PLAIN " engine.kv_cache_memory_bytes=10737418240" },
	{ LLAMA "--no-enable-prefix-caching --no-async-scheduling", PLAIN " engine.async_scheduling=false engine.enable_prefix_caching=false" },
	{ LLAMA "--enable-chunked-prefill=False", PLAIN " engine.enable_chunked_prefill=false" },
	{ LLAMA "--enforce-eager", PLAIN " engine.cudagraph_mode=NONE" },
	{ LLAMA "-O0", PLAIN " engine.cudagraph_mode=NONE" },
	{ LLAMA "-O1", PLAIN " engine.cudagraph_mode=PIECEWISE" },
	{ LLAMA "-O3", PLAIN },
	{ LLAMA "-O 2", PLAIN },
	{ LLAMA "-O '{\"cudagraph_mode\": \"FULL\"}'", PLAIN " engine.cudagraph_mode=FULL" },
	{ LLAMA "-O.cudagraph_mode=FULL_DECODE_ONLY", PLAIN " engine.cudagraph_mode=FULL_DECODE_ONLY" },
	{ LLAMA "--compilation-config '{\"cudagraph_mode\": \"FULL\", \"cudagraph_capture_sizes\": [1, 2, 4], \"max_cudagraph_capture_size\": 4}'", PLAIN " engine.cudagraph_mode=FULL engine.max_cudagraph_capture_size=4 engine.cudagraph_capture_sizes=1,2,4" },
	{ LLAMA "--moe-backend triton --linear-backend cutlass", PLAIN " engine.moe_backend=triton engine.linear_backend=cutlass" },
	{ LLAMA "--kernel-config '{\"moe_backend\": \"marlin\"}'", PLAIN " engine.moe_backend=marlin" },
	{ LLAMA "--compilation-config '{\"pass_config\": {\"fuse_allreduce_rms\": false, \"fuse_act_quant\": true}}'", PLAIN " engine.fuse_allreduce_rms=false engine.fuse_act_quant=true" },
	{ LLAMA "-O.pass_config.fuse_allreduce_rms=true", PLAIN " engine.fuse_allreduce_rms=true" },
	{ LLAMA "--compilation-config.cudagraph_mode PIECEWISE", PLAIN " engine.cudagraph_mode=PIECEWISE" },
	{ LLAMA "--compilation_config=3", PLAIN },
	{ LLAMA "--compilation-config '{\"full_cuda_graph\": true}'", PLAIN " engine.cudagraph_mode=FULL" },
	{ LLAMA "--cudagraph-capture-sizes 1 2 4 8 --port 8000", PLAIN " engine.cudagraph_capture_sizes=1,2,4,8" },
	{ LLAMA "--cuda-graph-sizes 256", PLAIN " engine.max_cudagraph_capture_size=256" },
	{ LLAMA "--speculative-config '{\"method\": \"eagle3\", \"model\": \"x/y\", \"num_speculative_tokens\": 3}'", PLAIN " engine.speculative.method=eagle3 engine.speculative.num_spec_tokens=3" },
	{ LLAMA "--speculative-config '{\"model\": \"[ngram]\", \"num_speculative_tokens\": 2}'", PLAIN " engine.speculative.method=ngram engine.speculative.num_spec_tokens=2" },
	{ LLAMA "--kv-transfer-config '{\"kv_connector\": \"NixlConnector\", \"kv_role\": \"kv_both\"}'", PLAIN " engine.kv_connector=NixlConnector" },
	{ LLAMA "--enable-eplb --eplb-config '{\"num_redundant_experts\": 32, \"window_size\": 1000}'", PLAIN " engine.eplb.enable_eplb=true engine.eplb.num_redundant_experts=32 engine.eplb.window_size=1000" },
	{ LLAMA "--disable-hybrid-kv-cache-manager", PLAIN " engine.hybrid_kv_cache_manager=false" },
	{ LLAMA "--host 0.0.0.0 --port 8000 --api-key a b c --served-model-name x y --trust-remote-code --hf-overrides '{\"a\": 1}'", PLAIN },
	{ LLAMA "--max-num-seqs 64 --max-num-seqs 128", PLAIN " engine.max_num_seqs=128" },
	{ LLAMA "--gpu-memory-utilization .95 --block-size 32 --kv-cache-dtype fp8", PLAIN " engine.cache_dtype=fp8 engine.block_size=32 engine.gpu_memory_utilization=0.95" },
	{ LLAMA "--quantization None", PLAIN },
	{ LLAMA "--quantization fp8 # comment", PLAIN " engine.quantization=fp8" },
	{ "CUDA_VISIBLE_DEVICES=0,1,2,3 HF_TOKEN=abc " LLAMA "-tp 2", HEAD("llama-3.1-8b-instruct", "4") WIDTHS("2", "1", "1") },
	{ "export CUDA_VISIBLE_DEVICES=0,1\n" LLAMA "-tp 2 > log 2>&1 &", HEAD("llama-3.1-8b-instruct", "2") WIDTHS("2", "1", "1") },
	{ "VLLM_ALL2ALL_BACKEND=deepep_low_latency vllm serve deepseek-ai/DeepSeek-V3 -tp 8", HEAD("deepseek-v3", "8") WIDTHS("8", "1", "1") " engine.all2all_backend=deepep_low_latency" },
	{ "#!/bin/sh\nMODEL=Qwen/Qwen3-14B\nARGS=\"--max-num-seqs 32 -tp 2\"\npip install vllm && vllm serve $MODEL $ARGS --api-key $KEY", HEAD("qwen3-14b", "2") WIDTHS("2", "1", "1") " engine.max_num_seqs=32" },
	{ "python -m vllm.entrypoints.openai.api_server --model Qwen/Qwen3-14B", HEAD("qwen3-14b", "1") WIDTHS("1", "1", "1") },
	{ "nohup /opt/venv/bin/vllm serve Qwen/Qwen3-14B", HEAD("qwen3-14b", "1") WIDTHS("1", "1", "1") },
	{ "docker run --runtime nvidia --gpus all -v ~/.cache:/root -e HF_TOKEN=x -p 8000:8000 --ipc=host vllm/vllm-openai:v0.10.1 --model Qwen/Qwen3-14B -tp 2",
	  "model=qwen3-14b engine_version=0.10.1 cluster.hardware=h200 cluster.nodes=1 cluster.gpus_per_node=2" WIDTHS("2", "1", "1") },
	{ "vllm serve deepseek-ai/DeepSeek-V3 -tp 8 -dp 2 -dpl 1 --data-parallel-address 10.0.0.1 -ep",
	  "model=deepseek-v3 engine_version=0.31.0 cluster.hardware=h200 cluster.nodes=2 cluster.gpus_per_node=8 cluster.fabric=ib role=colocated nodes=2 parallel.tp=8 parallel.pp=1 parallel.dp=2 parallel.dp_local=1 parallel.enable_expert_parallel=true" },
	{ "docker run --gpus 2 vllm/vllm-openai:latest Qwen/Qwen3-14B", HEAD("qwen3-14b", "2") WIDTHS("1", "1", "1") },
	{ "python3 -m vllm.entrypoints.cli.main serve Qwen/Qwen3-14B", HEAD("qwen3-14b", "1") WIDTHS("1", "1", "1") },
	{ "vllm serve Qwen/Qwen3-14B -tp 8 --nnodes 2 --node-rank 0\nvllm serve Qwen/Qwen3-14B -tp 8 --nnodes 2 --node-rank 1 --headless",
	  "model=qwen3-14b engine_version=0.31.0 cluster.hardware=h200 cluster.nodes=2 cluster.gpus_per_node=4 cluster.fabric=ib role=colocated nodes=2 parallel.tp=8 parallel.pp=1 parallel.dp=1" },
	{ "docker run --gpus '\"device=0,1,2,3\"' vllm/vllm-openai:latest Qwen/Qwen3-14B", HEAD("qwen3-14b", "4") WIDTHS("1", "1", "1") },
	{ "docker run --entrypoint bash mirror.example/vllm/vllm-openai:v0.31.0 -c 'vllm serve Qwen/Qwen3-14B -tp 2'", HEAD("qwen3-14b", "2") WIDTHS("2", "1", "1") },
	{ "vllm serve --config serve.yaml", HEAD("qwen3-14b", "4") WIDTHS("4", "1", "1") " engine.enable_prefix_caching=false engine.max_model_len=4096" },
	{ "vllm serve --max-model-len 8192 --config serve.yaml", HEAD("qwen3-14b", "4") WIDTHS("4", "1", "1") " engine.enable_prefix_caching=false engine.max_model_len=8192" },
	{ "vllm serve Qwen/Qwen3-14B -tp 8 --nnodes 2", "model=qwen3-14b engine_version=0.31.0 cluster.hardware=h200 cluster.nodes=2 cluster.gpus_per_node=4 cluster.fabric=ib role=colocated nodes=2 parallel.tp=8 parallel.pp=1 parallel.dp=1" },
	{ "vllm serve Qwen/Qwen3-14B --kv-transfer-config '{\"kv_connector\":\"NixlConnector\",\"kv_role\":\"kv_producer\"}'\nvllm serve Qwen/Qwen3-14B -tp 2 --kv-transfer-config '{\"kv_connector\":\"NixlConnector\",\"kv_role\":\"kv_consumer\"}'",
	  "model=qwen3-14b engine_version=0.31.0 cluster.hardware=h200 cluster.nodes=2 cluster.gpus_per_node=2 cluster.fabric=ib pd_transfer.connector=NixlConnector role=prefill nodes=1 parallel.tp=1 parallel.pp=1 parallel.dp=1 role=decode nodes=1 parallel.tp=2 parallel.pp=1 parallel.dp=1" },
};

/* Broken ones, and the one error each must give. */
static const struct {
	const char *command, *where, *message;
} broken[] = {
	{ LLAMA "--max-num-sequences 4", "line 1", "no flag --max-num-sequences of vllm serve; did you mean --max-num-seqs?" },
	{ LLAMA "--max-num 4", "line 1", "--max-num may be more than one flag of vllm serve: --max-num-batched-tokens, --max-num-seqs, --max-num-partial-prefills" },
	{ LLAMA "--dtype fp9", "line 1", "--dtype takes no 'fp9'; it takes auto half float16 bfloat16 float float32" },
	{ LLAMA "--scheduling-policy lifo", "line 1", "--scheduling-policy takes no 'lifo'; it takes fcfs priority" },
	{ LLAMA "-tp $TP", "line 1", "-tp is $TP, which the text does not fill in; give it by --set parallel.tp=VALUE" },
	{ LLAMA "-xy 4", "line 1", "no flag -xy of vllm serve" },
	{ LLAMA "\\\n --tensor-parallel-size", "line 2", "--tensor-parallel-size needs a value" },
	{ LLAMA "--tensor-parallel-size --port 1", "line 1", "--tensor-parallel-size needs a value" },
	{ LLAMA "other", "line 1", "'other' stands alone: a flag's value, or a second model?" },
	{ LLAMA "--compilation-config '{'", "line 1", "--compilation-config takes a JSON object, got '{'" },
	{ LLAMA "-O7", "line 1", "-O takes a level of 0 to 3 or JSON, got '7'" },
	{ LLAMA "--speculative-config '{\"method\": \"ngram\"}'", "line 1", "--speculative-config lacks its num_speculative_tokens" },
	{ LLAMA "--kv-transfer-config '{}'", "line 1", "--kv-transfer-config lacks its kv_connector" },
	{ LLAMA "--config gone.yaml", "line 1", "--config gone.yaml: no such file" },
	{ LLAMA "--api-key 'open", "line 1", "a single quote is not closed" },
	{ "ls -l", "", "no `vllm serve`, api_server or vllm-openai container in the text" },
	{ "", "", "no `vllm serve`, api_server or vllm-openai container in the text" },
	{ "vllm serve", "line 1", "the command names no model" },
	{ "vllm serve Qwen/Qwen3-15B", "line 1", "no model graph for 'Qwen3-15B'; nearest by family and size: qwen3-14b, qwen3.6-27b, qwen3.6-27b-awq; import its config.json with --model qwen3-15b, or name a graph of its shape with --model" },
	{ "vllm serve <MODEL>", "line 1", "the model is <MODEL>, a blank to fill in: name it with --model" },
	{ LLAMA "\n" LLAMA, "line 1", "the text starts the engine 2 times; this one is taken, --container N takes another" },
	{ LLAMA "-tp 16", "", "16 ranks: give the GPUs of one node with --gpus-per-node" },
	{ "# set nowhere=1\n" LLAMA, "line 1", "# set nowhere: no such path" },
	{ "# pool 0\n# set nodes=1\n", "", "pool 0 has no command" },
};
/* clang-format on */

static void commands_of_every_shape_state_what_they_say(void **state)
{
	struct vllm_import_options options = test_options();

	(void)state;
	for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++) {
		struct ss_scenario *scenario = NULL;
		struct import_rows rows = { 0 };
		struct ss_problems problems = { 0 };
		char *shown;

		if (vllm_import(&scenario, &rows, commands[i].command, strlen(commands[i].command),
				&options, &problems))
			fail_msg("%s: %s", commands[i].command, problems.items[0].message);
		shown = show(scenario);
		assert_string_equal(shown, commands[i].stated);
		free(shown);
		ss_scenario_free(scenario);
		import_rows_release(&rows);
		ss_problems_release(&problems);
	}
}

static void broken_commands_give_one_clear_error(void **state)
{
	struct vllm_import_options options = test_options();

	(void)state;
	options.is_strict = true;
	for (size_t i = 0; i < sizeof(broken) / sizeof(broken[0]); i++) {
		struct ss_scenario *scenario = NULL;
		struct import_rows rows = { 0 };
		struct ss_problems problems = { 0 };

		if (vllm_import(&scenario, &rows, broken[i].command, strlen(broken[i].command),
				&options, &problems) != SS_EDOCUMENT)
			fail_msg("%s: taken", broken[i].command);
		assert_null(scenario);
		assert_string_equal(problems.items[0].message, broken[i].message);
		assert_string_equal(problems.items[0].pointer, broken[i].where);
		if (problems.count != 1)
			fail_msg("%s: also %s", broken[i].command, problems.items[1].message);
		import_rows_release(&rows);
		ss_problems_release(&problems);
	}
}

static void what_is_missing_is_asked_for(void **state)
{
	struct vllm_import_options options = test_options();
	struct ss_scenario *scenario = NULL;
	struct import_rows rows = { 0 };
	struct ss_problems problems = { 0 };
	static const char command[] = LLAMA "-tp 8 --nnodes 2";

	(void)state;
	options.part = NULL;
	options.fabric = NULL;
	assert_int_equal(
		vllm_import(&scenario, &rows, command, strlen(command), &options, &problems),
		SS_EDOCUMENT);
	assert_int_equal(problems.count, 2);
	assert_non_null(strstr(problems.items[0].message, "--fabric"));
	assert_non_null(strstr(problems.items[1].message, "--part"));
	import_rows_release(&rows);
	ss_problems_release(&problems);
}

static void every_flag_is_listed_with_its_fate(void **state)
{
	struct vllm_import_options options = test_options();
	struct ss_scenario *scenario = NULL;
	struct import_rows rows = { 0 };
	struct ss_problems problems = { 0 };
	static const char command[] = LLAMA "-tp 2 --port 1 --enable-lora";

	(void)state;
	assert_int_equal(
		vllm_import(&scenario, &rows, command, strlen(command), &options, &problems),
		SS_OK);
	assert_int_equal(rows.count, 4);
	assert_string_equal(rows.items[0].flag, "-tp");
	assert_string_equal(rows.items[0].detail, "parallel.tp=2");
	assert_int_equal(rows.items[0].fate, IMPORT_TAKEN);
	assert_int_equal(rows.items[1].fate, IMPORT_NO_EFFECT);
	assert_int_equal(rows.items[2].fate, IMPORT_NOT_PRICED);
	assert_string_equal(rows.items[3].detail, "model=llama-3.1-8b-instruct");
	ss_scenario_free(scenario);
	import_rows_release(&rows);
	ss_problems_release(&problems);
}

static void a_model_given_outside_overrules_the_text(void **state)
{
	struct vllm_import_options options = test_options();
	struct ss_scenario *scenario = NULL;
	struct import_rows rows = { 0 };
	struct ss_problems problems = { 0 };
	static const char command[] = "vllm serve ./my-finetune --wrong-flag";
	char *shown;

	(void)state;
	options.model = "Qwen/Qwen3-14B";
	assert_int_equal(vllm_import(&scenario, &rows, command, 25, &options, &problems), SS_OK);
	shown = show(scenario);
	assert_string_equal(shown, HEAD("qwen3-14b", "1") WIDTHS("1", "1", "1"));
	free(shown);
	ss_scenario_free(scenario);
	import_rows_release(&rows);
	scenario = NULL;
	options.is_strict = true;
	assert_int_equal(
		vllm_import(&scenario, &rows, command, strlen(command), &options, &problems),
		SS_EDOCUMENT);
	assert_int_equal(rows.items[0].fate, IMPORT_UNKNOWN);
	import_rows_release(&rows);
	ss_problems_release(&problems);
}

static void the_flag_table_names_each_flag_once(void **state)
{
	struct vllm_flag a, b;

	(void)state;
	for (size_t i = 0; vllm_flag_at(&a, i); i++) {
		assert_null(strchr(a.name, '_'));
		for (size_t k = 0; k < i && vllm_flag_at(&b, k); k++)
			assert_string_not_equal(a.name, b.name);
		for (size_t k = 0; k < SS_FIELD_COUNT; k++) {
			const char *flag = ss_field((enum ss_field_id)k)->flag;

			if (flag)
				assert_string_not_equal(a.name, flag);
		}
	}
}

/* -- there and back ------------------------------------------------------------------- */

static void check_round_trip(const struct ss_scenario *scenario, const char *name)
{
	struct vllm_import_options options = { .file = name,
					       .models = models,
					       .model_count = sizeof(models) / sizeof(models[0]) };
	struct ss_scenario *back = NULL;
	struct import_rows rows = { 0 };
	struct ss_problems problems = { 0 };
	char *text = NULL;
	size_t size = 0;
	FILE *f = open_memstream(&text, &size);

	assert_non_null(f);
	assert_int_equal(vllm_export(f, scenario, "org/Name"), SS_OK);
	fclose(f);
	if (vllm_import(&back, &rows, text, size, &options, &problems))
		fail_msg("%s: %s: %s\n%s", name, problems.items[0].pointer,
			 problems.items[0].message, text);
	if (!ss_scenario_equal(scenario, back))
		fail_msg("%s changes:\n%s", name, text);
	ss_scenario_free(back);
	import_rows_release(&rows);
	ss_problems_release(&problems);
	free(text);
}

static void shipped_scenarios_export_and_import_unchanged(void **state)
{
	DIR *folder = opendir(TEST_SRCDIR "/scenarios");
	struct dirent *entry;
	size_t count = 0;

	(void)state;
	assert_non_null(folder);
	while ((entry = readdir(folder))) {
		struct ss_problems problems = { 0 };
		struct ss_scenario *scenario;
		char path[512];

		if (!strstr(entry->d_name, ".json"))
			continue;
		snprintf(path, sizeof(path), TEST_SRCDIR "/scenarios/%s", entry->d_name);
		scenario = ss_scenario_load(path, &problems);
		assert_non_null(scenario);
		check_round_trip(scenario, entry->d_name);
		ss_scenario_free(scenario);
		ss_problems_release(&problems);
		count++;
	}
	closedir(folder);
	assert_true(count >= 20);
}

/** A value of every kind a field takes, odd characters among them. */
static const char *sample(const struct ss_field *field)
{
	if (field->choices)
		return "prefill";
	switch (field->type) {
	case SS_TYPE_INT:
		return "2";
	case SS_TYPE_FLOAT:
		return field->min > 0.75 ? "1.5" : "0.75";
	case SS_TYPE_BOOL:
		return "false";
	case SS_TYPE_TEXT:
		return "it's \"x\" $HOME #1";
	case SS_TYPE_NAME:
		return "a-name";
	case SS_TYPE_CHOICE:
		return "colocated";
	case SS_TYPE_INT_OR_AUTO:
		return "auto";
	case SS_TYPE_INT_LIST:
		return "1,2,4";
	case SS_TYPE_NAME_LIST:
		return "a,b";
	case SS_TYPE_TEXT_MAP:
	case SS_TYPE_TIERS:
		return NULL;
	}
	return NULL;
}

static void every_field_survives_export_and_import(void **state)
{
	(void)state;
	for (size_t i = 0; i < SS_FIELD_COUNT; i++) {
		const struct ss_field *field = ss_field((enum ss_field_id)i);
		struct ss_problems problems = { 0 };
		struct ss_error err = { 0 };
		struct ss_scenario *scenario = ss_scenario_load(
			TEST_SRCDIR "/scenarios/deepseek-v3-h200-pd.json", &problems);
		const char *text = sample(field);

		assert_non_null(scenario);
		if (field->id == SS_F_ALLREDUCE_BACKEND)
			text = "nccl";
		if (text && ss_value_parse(ss_scenario_value_mut(scenario, 1, field->id), field,
					   text, &err))
			fail_msg("%s: %s", field->path, err.message);
		check_round_trip(scenario, field->path);
		ss_scenario_free(scenario);
		ss_problems_release(&problems);
	}
}

static void maps_and_tiers_survive_export_and_import(void **state)
{
	struct ss_problems problems = { 0 };
	struct ss_error err = { 0 };
	struct ss_scenario *scenario =
		ss_scenario_load(TEST_SRCDIR "/scenarios/qwen3-30b-a3b-h100-tp2.json", &problems);

	(void)state;
	assert_non_null(scenario);
	assert_int_equal(ss_scenario_set(scenario, 0, "cluster.host.env.A_B", "x, \"y\"=z ", &err),
			 SS_OK);
	check_round_trip(scenario, "map");
	ss_scenario_free(scenario);
	ss_problems_release(&problems);
}

static void what_is_tried_and_corrected_survives_export_and_import(void **state)
{
	static const double tried = 2.4;
	struct ss_problems problems = { 0 };
	struct ss_scenario *s =
		ss_scenario_load(TEST_SRCDIR "/scenarios/deepseek-v3-h200-fp8-tp8.json", &problems);

	(void)state;
	assert_non_null(s);
	assert_int_equal(ss_scenario_set_what_if(s, "host_launch_per_kernel", &tried), SS_OK);
	ss_scenario_set_corrections(s, 1u << SS_DIVERGENCE_GRAPH_PADDING);
	check_round_trip(s, "tried");
	ss_scenario_free(s);
	ss_problems_release(&problems);
}

static int open_registry(void **state)
{
	static const char *const roots[] = { TEST_SRCDIR "/registry" };

	(void)state;
	return ss_registry_new(&registry, roots, 1, NULL);
}

static int close_registry(void **state)
{
	(void)state;
	ss_registry_free(registry);
	return 0;
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(commands_of_every_shape_state_what_they_say),
		cmocka_unit_test(broken_commands_give_one_clear_error),
		cmocka_unit_test(what_is_missing_is_asked_for),
		cmocka_unit_test(every_flag_is_listed_with_its_fate),
		cmocka_unit_test(a_model_given_outside_overrules_the_text),
		cmocka_unit_test(the_flag_table_names_each_flag_once),
		cmocka_unit_test(shipped_scenarios_export_and_import_unchanged),
		cmocka_unit_test(every_field_survives_export_and_import),
		cmocka_unit_test(maps_and_tiers_survive_export_and_import),
		cmocka_unit_test(what_is_tried_and_corrected_survives_export_and_import),
	};

	return cmocka_run_group_tests(tests, open_registry, close_registry);
}
