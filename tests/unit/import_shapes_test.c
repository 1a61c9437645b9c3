/* What people have: every shape of text that starts the engine, and what it states. */
#include "import/import_vllm.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "import/import_source.h"
#include "import/yaml_tree.h"

static const char *const models[] = { "deepseek-v3", "llama-3.1-8b-instruct", "qwen3-14b" };
static const char *const sets[] = { "one" };

static struct vllm_import_options test_options(void)
{
	return (struct vllm_import_options){ .file = "-",
					     .part = "h200",
					     .default_fabric = "ib",
					     .part_gpus_per_node = 8,
					     .models = models,
					     .model_count = 3,
					     .coefficients = sets,
					     .coefficient_count = 1 };
}

/** What is stated of every pool in one: role and nodes where they are no matter of course. */
static char *show(const struct ss_scenario *scenario)
{
	static const char *const usual[] = { "role=colocated", "nodes=1", "parallel.tp=1",
					     "parallel.pp=1", "parallel.dp=1" };
	char *out = NULL;
	size_t size = 0;
	FILE *f = open_memstream(&out, &size);

	assert_non_null(f);
	fputs(ss_scenario_value(scenario, 0, SS_F_MODEL)->text, f);
	for (size_t pool = 0; pool < scenario->pool_count; pool++) {
		fputs(pool ? " |" : "", f);
		for (size_t i = 0; i < SS_FIELD_COUNT; i++) {
			const struct ss_field *field = ss_field((enum ss_field_id)i);
			const struct ss_value *value = ss_scenario_value(scenario, pool, field->id);
			char text[256], line[320];
			bool is_usual = false;

			if (!value->is_stated || field->owner != SS_OWNER_POOL)
				continue;
			ss_value_format(text, sizeof(text), field, value);
			snprintf(line, sizeof(line), "%s=%s", field->path, text);
			for (size_t k = 0; k < sizeof(usual) / sizeof(usual[0]); k++)
				is_usual |= !strcmp(line, usual[k]);
			if (!is_usual)
				fprintf(f, " %s", line);
		}
	}
	fclose(f);
	return out;
}

#define FENCE "```"
#define QWEN "Qwen/Qwen3-14B"
#define POD                                                                                    \
	"apiVersion: v1\nkind: Pod\nmetadata:\n  name: p\nspec:\n  containers:\n  - name: c\n" \
	"    image: vllm/vllm-openai:v0.10.0\n"
#define DEPLOYMENT(kind, body)                                                              \
	"apiVersion: apps/v1\nkind: " kind "\nmetadata:\n  name: d\nspec:\n  replicas: 2\n" \
	"  template:\n    spec:\n      containers:\n      - name: vllm\n        image: img\n" body
#define NIXL "--kv-transfer-config '{\"kv_connector\":\"NixlConnector\",\"kv_role\":\"kv_both\"}'"

/* clang-format off */
static const struct {
	const char *text, *stated;
	const char *said; /* part of the first warning; NULL when there must be none */
} shapes[] = {
	/* Markdown and documentation */
	{ "# Serve\n\n" FENCE "bash\nvllm serve " QWEN " \\\n  -tp 2\n" FENCE "\n", "qwen3-14b parallel.tp=2", NULL },
	{ "Don't wait:\n\n- a list\n  " FENCE "console\n  $ vllm serve " QWEN " \\\n  >   -tp 4\n  " FENCE "\n", "qwen3-14b parallel.tp=4", NULL },
	{ "> " FENCE "sh\n> vllm serve " QWEN " -tp 2\n> " FENCE "\n", "qwen3-14b parallel.tp=2", NULL },
	{ "~~~\nexport VLLM_USE_V1=1\n~~~\nthen\n~~~\nvllm serve " QWEN "\n~~~\n", "qwen3-14b", NULL },
	{ FENCE "python\nvllm serve gone -tp 8\n" FENCE "\n" FENCE "shell\nvllm serve " QWEN " -tp 2\n" FENCE, "qwen3-14b parallel.tp=2", NULL },
	{ FENCE "\nMODEL=" QWEN "\n" FENCE "\n" FENCE "\nvllm serve $MODEL\n" FENCE "\n", "qwen3-14b", NULL },
	{ "Start it with `vllm serve " QWEN " -tp 2` and don't look back.", "qwen3-14b parallel.tp=2", NULL },
	{ ".. code-block:: console\n\n    $ vllm serve " QWEN " --max-model-len 4096\n", "qwen3-14b engine.max_model_len=4096", NULL },
	{ FENCE "bash\npip install vllm\n" FENCE "\n" FENCE "bash\nvllm bench serve --model x\n" FENCE "\n" FENCE "\nvllm serve " QWEN "\n" FENCE, "qwen3-14b", NULL },
	{ FENCE "bash\nvllm serve ... --tool-server demo\n" FENCE "\n" FENCE "bash\nvllm serve " QWEN "\n" FENCE, "qwen3-14b", "the text starts the engine 2 times" },
	/* shells */
	{ "A=(--model " QWEN "\n  -tp 2 # width\n)\nA+=(--enforce-eager)\nexec vllm serve \"${A[@]}\"", "qwen3-14b parallel.tp=2 engine.cudagraph_mode=NONE", NULL },
	{ "TP=${TP:-4}\nvllm serve ${MODEL:-" QWEN "} -tp $TP --max-num-seqs $((TP * 8)) \"$@\"", "qwen3-14b parallel.tp=4 engine.max_num_seqs=32", NULL },
	{ "start() {\n  local m=" QWEN "\n  vllm serve \"$m\" -tp 2 &\n}\nstart", "qwen3-14b parallel.tp=2", NULL },
	{ "cmd=\"vllm serve " QWEN " \\\n  -tp 2\"\necho \"$cmd\"\neval \"$cmd\"", "qwen3-14b parallel.tp=2", NULL },
	{ "SERVER='vllm serve " QWEN " -tp 2'\nrun_with_it", "qwen3-14b parallel.tp=2", NULL },
	{ "for tp in 2 4; do\n  vllm serve " QWEN " -tp $tp\ndone", "qwen3-14b parallel.tp=2", "of the loop's values the first is taken" },
	{ "if [ -n \"$X\" ]; then\n  F=--enforce-eager\nelse\n  F=\nfi\nvllm serve " QWEN " $F", "qwen3-14b", NULL },
	{ "uv run vllm serve " QWEN " -tp 2", "qwen3-14b parallel.tp=2", NULL },
	{ "srun --nodes=1 --gpus 8 bash -c \"vllm serve " QWEN " -tp 8\"", "qwen3-14b parallel.tp=8", NULL },
	{ "!vllm serve " QWEN " -tp 2 &", "qwen3-14b parallel.tp=2", NULL },
	{ "vllm serve " QWEN " \xe2\x80\x94tensor-parallel-size 2", "qwen3-14b parallel.tp=2", "--tensor-parallel-size was written with a long dash" },
	{ "T=2\nwhile getopts t: o; do case $o in t) T=$OPTARG;; esac; done\nvllm serve ${1:-" QWEN "} -tp $T", "qwen3-14b parallel.tp=2", NULL },
	{ "conda run -n v vllm serve " QWEN " -tp 2", "qwen3-14b parallel.tp=2", NULL },
	{ "ray job submit -- vllm serve " QWEN " -tp 2", "qwen3-14b parallel.tp=2", NULL },
	{ "tmux new -d 'CUDA_VISIBLE_DEVICES=0,1 vllm serve " QWEN " -tp 2'", "qwen3-14b parallel.tp=2", NULL },
	{ "ssh node <<'EOF'\nvllm serve " QWEN " -tp 2\nEOF", "qwen3-14b parallel.tp=2", NULL },
	{ "cat > c.yaml <<EOF\nmax-num-seqs: 64\nno-enable-prefix-caching: true\nEOF\nvllm serve " QWEN " --config c.yaml", "qwen3-14b engine.enable_prefix_caching=false engine.max_num_seqs=64", NULL },
	{ "podman run --device nvidia.com/gpu=all docker.io/vllm/vllm-openai:v0.9.0 --model " QWEN " -tp 2", "qwen3-14b parallel.tp=2", NULL },
	{ "docker run --gpus all --entrypoint vllm lmcache/vllm-openai:v1 serve " QWEN " -tp 2", "qwen3-14b parallel.tp=2", NULL },
	{ "docker run -v ./vllm:/x --name vllm rocm/vllm:nightly python3 -m vllm.entrypoints.openai.api_server --model " QWEN, "qwen3-14b", NULL },
	{ "python benchmarks/benchmark_throughput.py --model " QWEN " -tp 2 --input-len 128 --num-prompts 10", "qwen3-14b parallel.tp=2", NULL },
	{ "vllm bench latency --model " QWEN " -tp 2 --batch-size 8", "qwen3-14b parallel.tp=2", NULL },
	{ "# run it\nvllm serve serve " QWEN "\n", "qwen3-14b", NULL },
	{ "vllm serve " QWEN "\n  --tensor-parallel-size 2\n", "qwen3-14b parallel.tp=2", "the flags stand apart" },
	{ "vllm serve " QWEN " \\\n  -tp 2 \\ # two\n  --max-num-seqs 8", "qwen3-14b parallel.tp=2 engine.max_num_seqs=8", "a comment follows the last backslash" },
	/* flags */
	{ "vllm serve " QWEN " --tensor-parallel 2 --gpu-mem 0.8", "qwen3-14b parallel.tp=2 engine.gpu_memory_utilization=0.8", NULL },
	{ "vllm serve " QWEN " -cc.cudagraph_mode=FULL -cc.pass_config.fuse_norm_quant=true", "qwen3-14b engine.cudagraph_mode=FULL", NULL },
	{ "vllm serve " QWEN " --kv-cache-memory=10737418240", "qwen3-14b engine.kv_cache_memory_bytes=10737418240", NULL },
	{ "vllm serve " QWEN " --brand-new 3 -tp 2", "qwen3-14b parallel.tp=2", "no flag --brand-new of vllm serve" },
	{ "vllm serve " QWEN " -tp $WORLD --max-num-seqs 8", "qwen3-14b engine.max_num_seqs=8", "-tp is $WORLD, which the text does not fill in" },
	{ "vllm serve " QWEN " --max-num-seqs=${SEQS-} -tp 2", "qwen3-14b parallel.tp=2", "--max-num-seqs is empty" },
	{ "vllm serve " QWEN " --enable-prefix-caching True --enable-chunked-prefill false", "qwen3-14b engine.enable_prefix_caching=true engine.enable_chunked_prefill=false", NULL },
	{ "vllm serve " QWEN " --speculative-model \"[ngram]\" --num-speculative-tokens 3", "qwen3-14b engine.speculative.method=ngram engine.speculative.num_spec_tokens=3", NULL },
	{ "vllm serve " QWEN " --speculative-config '{\"method\": \"mtp\"}'", "qwen3-14b engine.speculative.method=mtp engine.speculative.num_spec_tokens=1", NULL },
	{ "vllm serve " QWEN " --compilation-config \"{'cudagraph_mode': 'FULL'}\"", "qwen3-14b engine.cudagraph_mode=FULL", "is no JSON" },
	{ "vllm serve org/Other-9B -tp 2", "other-9b parallel.tp=2", "import its config.json with --model other-9b" },
	{ "vllm serve deepseek-ai/DeepSeek-V3 -tp 8 -dp 2", "deepseek-v3 nodes=2 parallel.tp=8 parallel.dp=2", "the deployment spans 2 nodes, taken as joined by ib" },
	/* several commands */
	{ "vllm serve " QWEN " -tp 2\nvllm serve " QWEN " -tp 4\n", "qwen3-14b parallel.tp=2", "the text starts the engine 2 times" },
	{ "# prefill\nvllm serve " QWEN " -tp 2 " NIXL " &\n# decode\nvllm serve " QWEN " -tp 4 " NIXL,
	  "qwen3-14b role=prefill parallel.tp=2 | role=decode parallel.tp=4", "the deployment spans 2 nodes" },
	{ "vllm serve " QWEN " -dp 4 --data-parallel-rank 0\nvllm serve " QWEN " -dp 4 --data-parallel-rank 1", "qwen3-14b parallel.dp=4", NULL },
	/* other files */
	{ "[Service]\nEnvironment=M=" QWEN "\nExecStart=-/usr/bin/vllm serve ${M} \\\n  -tp 2\nRestart=always\n", "qwen3-14b parallel.tp=2", NULL },
	{ "[Container]\nImage=docker.io/vllm/vllm-openai:v0.9.0\nExec=--model " QWEN " -tp 2\n", "qwen3-14b parallel.tp=2", NULL },
	{ "FROM vllm/vllm-openai:v0.9.0\nENV A=b\nCMD [\"--model\", \"" QWEN "\", \"-tp\", \"2\"]\n", "qwen3-14b parallel.tp=2", NULL },
	{ "FROM python\nENTRYPOINT [\"vllm\", \"serve\"]\nCMD [\"" QWEN "\"]\n", "qwen3-14b", NULL },
};

/* Those that need YAML. */
static const struct {
	const char *text, *stated, *said;
} yaml_shapes[] = {
	{ "services:\n  v:\n    image: vllm/vllm-openai:v0.9.0\n    command: --model " QWEN " -tp ${TP:-2}\n", "qwen3-14b parallel.tp=2", NULL },
	{ "services:\n  v:\n    image: vllm/vllm-openai\n    command: [\"--model\", \"" QWEN "\", \"--max-num-seqs\", \"8\"]\n", "qwen3-14b engine.max_num_seqs=8", NULL },
	{ "services:\n  v:\n    image: vllm/vllm-openai:${TAG:-v0.9.0}\n    command: --model " QWEN "\n  e:\n    image: text-embeddings:1\n    command: --model-id x\n", "qwen3-14b", NULL },
	{ "x-a: &a\n  image: vllm/vllm-openai\nservices:\n  v:\n    <<: *a\n    command: >\n      " QWEN "\n      -tp 2\n", "qwen3-14b parallel.tp=2", NULL },
	{ "services:\n  v:\n    image: x\n    entrypoint: python3 -m vllm.entrypoints.openai.api_server\n    command: --model " QWEN "\n  w:\n    image: redis\n    command: redis-server\n", "qwen3-14b", NULL },
	{ "services:\n  v:\n    image: vllm/vllm-openai\n    environment:\n      MODEL: " QWEN "\n    entrypoint: [\"/bin/sh\", \"-c\"]\n    command: [\"vllm serve $$MODEL -tp 2\"]\n", "qwen3-14b parallel.tp=2", NULL },
	{ POD "    args: [\"--model=" QWEN "\", \"--tensor-parallel-size=2\"]\n", "qwen3-14b parallel.tp=2", NULL },
	{ POD "    command: [\"sleep\", \"infinity\"]\n  - name: e\n    image: vllm/vllm-openai\n    args: [" QWEN "]\n", "qwen3-14b", NULL },
	{ DEPLOYMENT("Deployment", "        command: [\"vllm\", \"serve\", \"" QWEN "\"]\n        args: [\"-tp\", \"2\"]\n"), "qwen3-14b parallel.tp=2", NULL },
	{ DEPLOYMENT("StatefulSet", "        command: [sh, -c]\n        args:\n        - |\n          set -e\n          vllm serve $(M) -tp $TP\n        env:\n        - {name: M, value: " QWEN "}\n        - {name: TP, value: \"2\"}\n"), "qwen3-14b parallel.tp=2", NULL },
	{ "apiVersion: leaderworkerset.x-k8s.io/v1\nkind: LeaderWorkerSet\nmetadata: {name: l}\nspec:\n  leaderWorkerTemplate:\n    size: 2\n    leaderTemplate:\n      spec:\n        containers:\n        - name: leader\n          image: i\n"
	  "          command: [sh, -c, \"ray.sh leader --size=$(LWS_GROUP_SIZE); vllm serve " QWEN " -tp 8 -pp $LWS_GROUP_SIZE\"]\n    workerTemplate:\n      spec:\n        containers:\n        - name: worker\n          image: i\n          command: [sh, -c, \"vllm serve " QWEN " -tp 8 --headless\"]\n",
	  "qwen3-14b nodes=2 parallel.tp=8 parallel.pp=2", "the deployment spans 2 nodes" },
	{ "servingEngineSpec:\n  modelSpec:\n  - name: a\n    repository: vllm/vllm-openai\n    tag: v0.9.0\n    modelURL: " QWEN "\n    vllmConfig: {tensorParallelSize: 2, maxModelLen: 8192, enablePrefixCaching: true, extraArgs: [\"--max-num-seqs\", \"8\"]}\n",
	  "qwen3-14b parallel.tp=2 engine.enable_prefix_caching=true engine.max_num_seqs=8 engine.max_model_len=8192", NULL },
	{ "modelArtifacts: {name: " QWEN ", uri: \"hf://" QWEN "\"}\ndecode:\n  containers:\n  - name: vllm\n    image: ghcr.io/llm-d/llm-d-cuda:v0.3\n    modelCommand: vllmServe\n    args: [\"--tensor-parallel-size\", \"4\"]\n", "qwen3-14b parallel.tp=4", NULL },
	{ "apiVersion: kubeai.org/v1\nkind: Model\nmetadata: {name: m}\nspec:\n  url: hf://" QWEN "\n  engine: VLLM\n  args: [\"--max-model-len=4096\"]\n", "qwen3-14b engine.max_model_len=4096", NULL },
	{ "apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: x}\nspec:\n  template:\n    spec:\n      {{- with .Values.a }}\n      {{- end }}\n      containers:\n      - name: v\n        image: \"{{ .Values.image }}\"\n        command: [\"vllm\", \"serve\", \"" QWEN "\"]\n        args: [\"-tp\", \"{{ .Values.tp }}\"]\n", "qwen3-14b", "-tp is < .Values.tp >" },
	{ "model: " QWEN "\ntensor-parallel-size: 2\nmax_model_len: 4096\n", "qwen3-14b parallel.tp=2 engine.max_model_len=4096", NULL },
	{ "[{\"test_name\": \"t\", \"server_parameters\": {\"model\": \"" QWEN "\", \"tensor_parallel_size\": 2, \"disable_log_stats\": \"\"}}]", "qwen3-14b parallel.tp=2", NULL },
	{ "apiVersion: ray.io/v1\nkind: RayService\nspec:\n  serveConfigV2: |\n    applications:\n    - args:\n        llm_configs:\n        - model_loading_config: {model_id: q, model_source: " QWEN "}\n          engine_kwargs: {tensor_parallel_size: 2}\n", "qwen3-14b parallel.tp=2", NULL },
	{ "# values\n" FENCE "yaml\nservices:\n  v:\n    image: vllm/vllm-openai\n    command: --model " QWEN "\n" FENCE "\n", "qwen3-14b", NULL },
};
/* clang-format on */

/** True when a text states and says that. */
static bool is_read(const char *text, const char *stated, const char *said)
{
	struct vllm_import_options options = test_options();
	struct ss_scenario *scenario = NULL;
	struct import_rows rows = { 0 };
	struct ss_problems problems = { 0 };
	char *shown = NULL;
	const char *first;
	bool is_right = !vllm_import(&scenario, &rows, text, strlen(text), &options, &problems);

	first = problems.count ? problems.items[0].message : "";
	if (is_right) {
		shown = show(scenario);
		is_right = !strcmp(shown, stated) && (said ? strstr(first, said) != NULL : !*first);
	}
	if (!is_right)
		print_error("%s\n    is: %s\nshould: %s\n  says: %s\n\n", text,
			    shown ? shown : "refused", stated, first);
	free(shown);
	ss_scenario_free(scenario);
	import_rows_release(&rows);
	ss_problems_release(&problems);
	return is_right;
}

static void every_shape_of_text_states_what_it_says(void **state)
{
	size_t wrong = 0;

	(void)state;
	for (size_t i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++)
		wrong += !is_read(shapes[i].text, shapes[i].stated, shapes[i].said);
	assert_int_equal(wrong, 0);
}

static void every_shape_of_yaml_states_what_it_says(void **state)
{
	size_t wrong = 0;

	(void)state;
	for (size_t i = 0; tree_has_yaml() && i < sizeof(yaml_shapes) / sizeof(yaml_shapes[0]); i++)
		wrong += !is_read(yaml_shapes[i].text, yaml_shapes[i].stated, yaml_shapes[i].said);
	assert_int_equal(wrong, 0);
}

static void a_container_is_chosen_by_number_or_name(void **state)
{
	static const char text[] =
		"services:\n"
		"  big-one:\n    image: vllm/vllm-openai\n    command: --model " QWEN " -tp 4\n"
		"  small:\n    image: vllm/vllm-openai\n    command: --model " QWEN " -tp 2\n";
	static const struct {
		const char *wanted, *stated;
	} cases[] = { { "2", "qwen3-14b parallel.tp=2" },
		      { "small", "qwen3-14b parallel.tp=2" },
		      { "big", "qwen3-14b parallel.tp=4" } };

	(void)state;
	for (size_t i = 0; tree_has_yaml() && i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct vllm_import_options options = test_options();
		struct ss_scenario *scenario = NULL;
		struct import_rows rows = { 0 };
		struct ss_problems problems = { 0 };
		char *shown;

		options.container = cases[i].wanted;
		options.is_strict = true;
		assert_int_equal(
			vllm_import(&scenario, &rows, text, sizeof(text) - 1, &options, &problems),
			SS_OK);
		shown = show(scenario);
		assert_string_equal(shown, cases[i].stated);
		assert_string_equal(rows.items[0].flag, "1 big-one");
		assert_int_equal(rows.items[0].fate, i < 2 ? IMPORT_LEFT : IMPORT_CHOSEN);
		assert_int_equal(rows.items[1].fate, i < 2 ? IMPORT_CHOSEN : IMPORT_LEFT);
		assert_int_equal(rows.items[1].line, 6);
		free(shown);
		ss_scenario_free(scenario);
		import_rows_release(&rows);
		ss_problems_release(&problems);
	}
}

static void a_flag_of_a_block_is_said_at_its_own_line(void **state)
{
	static const char text[] = POD "    command: [sh, -c]\n    args:\n    - |\n      set -e\n"
				       "      vllm serve " QWEN " \\\n        --brand-new 3\n";
	struct vllm_import_options options = test_options();
	struct ss_scenario *scenario = NULL;
	struct import_rows rows = { 0 };
	struct ss_problems problems = { 0 };

	(void)state;
	if (!tree_has_yaml())
		return;
	assert_int_equal(vllm_import(&scenario, &rows, text, sizeof(text) - 1, &options, &problems),
			 SS_OK);
	assert_int_equal(problems.count, 1);
	assert_string_equal(problems.items[0].pointer, "line 14");
	ss_scenario_free(scenario);
	import_rows_release(&rows);
	ss_problems_release(&problems);
}

static void a_text_is_what_it_looks_like_whatever_it_is_called(void **state)
{
	/* clang-format off */
	static const struct {
		const char *path, *text;
		enum source_kind kind;
	} cases[] = {
		{ "a.yaml", "services:\n  v:\n    image: vllm/vllm-openai\n    command: --model x\n", SOURCE_COMMAND },
		{ "a.yaml", "kind: Deployment\nname: base\npools: []\n", SOURCE_YAML },
		{ "a.yaml", "apiVersion: apps/v1\nkind: Deployment\nspec: {}\n", SOURCE_COMMAND },
		{ "-", "TFlopsPeak: 989\n", SOURCE_YAML },
		{ "a.txt", "ValueError: To serve at least one request ... INFO x.py:1\n", SOURCE_LOG },
		{ "a.txt", "Note: run this\nvllm serve x\n", SOURCE_COMMAND },
		{ "a.log", "(EngineCore pid=1) ERROR 01-05 10:00:00 [core.py:843] ValueError: no\n", SOURCE_LOG },
		{ "a.md", "``" "`\nvllm serve x\n``" "`\n``" "`\nINFO 01-05 [core.py:8] ready\n``" "`\n", SOURCE_COMMAND },
		{ "a.service", "[Service]\nExecStart=vllm serve x\n", SOURCE_COMMAND },
		{ "config.json", "{\"architectures\": [\"LlamaForCausalLM\"]}", SOURCE_JSON },
		{ "t.json", "[{\"server_parameters\": {\"model\": \"x\"}}]", SOURCE_COMMAND },
	};
	/* clang-format on */

	(void)state;
	for (size_t i = 0; tree_has_yaml() && i < sizeof(cases) / sizeof(cases[0]); i++) {
		if (source_kind_of(cases[i].path, cases[i].text, strlen(cases[i].text)) !=
		    cases[i].kind)
			fail_msg("%s: %s", cases[i].path, cases[i].text);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_shape_of_text_states_what_it_says),
		cmocka_unit_test(every_shape_of_yaml_states_what_it_says),
		cmocka_unit_test(a_container_is_chosen_by_number_or_name),
		cmocka_unit_test(a_flag_of_a_block_is_said_at_its_own_line),
		cmocka_unit_test(a_text_is_what_it_looks_like_whatever_it_is_called),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
