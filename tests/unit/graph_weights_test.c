#include "import/graph_weights.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "import/import_hf.h"

static cJSON *read_graph(const char *name)
{
	char path[512];
	char *text = malloc(1048576);
	size_t length;
	FILE *f;
	cJSON *json;

	snprintf(path, sizeof(path), TEST_SRCDIR "/registry/models/%s.json", name);
	f = fopen(path, "rb");
	assert_non_null(f);
	assert_non_null(text);
	length = fread(text, 1, 1048576, f);
	fclose(f);
	json = cJSON_ParseWithLength(text, length);
	free(text);
	assert_non_null(json);
	return json;
}

static void shipped_graphs_have_their_public_parameter_counts(void **state)
{
	/* clang-format off */
	/* Billions, of the checkpoint's page or its model card; whole: with towers and drafts. */
	static const struct {
		const char *name;
		double billions, tolerance;
		bool is_whole;
	} rows[] = {
		{ "qwen3-8b",                        8.190735, 0.001, true },
		{ "qwen3-32b",                       32.762123, 0.001, true },
		{ "qwen3-235b-a22b",                 235.093635, 0.001, true },
		{ "qwen3-coder-480b-a35b-instruct",  480.154875, 0.001, true },
		{ "llama-3.1-405b-instruct",         405.853389, 0.001, true },
		{ "gpt-oss-20b",                     20.91, 0.001, true },  /* the model card's table */
		{ "deepseek-v3.2",                   671, 0.005, false },   /* main model, as V3's */
		{ "glm-4.6",                         357, 0.005, true },
		{ "qwen3.5-27b",                     27.8, 0.01, true },
		{ "qwen3.5-122b-a10b",               125, 0.01, true },
		{ "gemma-3-27b-it",                  27.432407, 0.001, true },
		{ "mistral-small-24b-instruct-2501", 23.572403, 0.001, true },
		{ "kimi-k2.6",                       1027, 0.005, true },   /* 1T; as DeepSeek-V3's shape */
		{ "deepseek-v4-flash",               284, 0.005, false },
	};
	/* clang-format on */

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		cJSON *graph = read_graph(rows[i].name);
		struct graph_weights w;
		double all;

		graph_weights_sum(&w, graph);
		all = w.parameters / 1e9;
		if (rows[i].is_whole)
			all += (w.draft_parameters + w.other_parameters) / 1e9;
		if (fabs(all / rows[i].billions - 1) > rows[i].tolerance)
			fail_msg("%s: %.4f, not %.4f", rows[i].name, all, rows[i].billions);
		cJSON_Delete(graph);
	}
}

/** A graph of a configuration written with single quotes. */
static cJSON *graph_of(const char *config)
{
	struct ss_problems problems = { 0 };
	cJSON *root, *graph = NULL;
	char *text = strdup(config);

	assert_non_null(text);
	for (char *c = text; *c; c++)
		if (*c == '\'')
			*c = '"';
	root = cJSON_Parse(text);
	free(text);
	assert_non_null(root);
	if (hf_import(&graph, root, NULL, "test", "-", &problems))
		fail_msg("%s", problems.count ? problems.items[0].message : config);
	ss_problems_release(&problems);
	cJSON_Delete(root);
	return graph;
}

static void parameters_and_bytes_are_those_counted_independently(void **state)
{
	/* Counted apart from the keys of each config.json: all matrices with the scales of
	 * block FP8, no norms, no biases, no drafting layers. */
	/* clang-format off */
	static const struct {
		const char *name, *config;
		double parameters, bytes;
	} rows[] = {
		{ "Qwen3-32B",
		  "{'architectures':['Qwen3ForCausalLM'],'hidden_size':5120,'intermediate_size':25600,'num_hidden_layers':64,'num_attention_heads':64,'num_key_value_heads':8,'vocab_size':151936,'tie_word_embeddings':false,'torch_dtype':'bfloat16','head_dim':128}",
		  32761446400, 65522892800 },
		{ "Qwen3-0.6B",
		  "{'architectures':['Qwen3ForCausalLM'],'hidden_size':1024,'intermediate_size':3072,'num_hidden_layers':28,'num_attention_heads':16,'num_key_value_heads':8,'vocab_size':151936,'tie_word_embeddings':true,'torch_dtype':'bfloat16','head_dim':128}",
		  595984384, 1191968768 },
		{ "Qwen3-30B-A3B",
		  "{'architectures':['Qwen3MoeForCausalLM'],'hidden_size':2048,'intermediate_size':6144,'num_hidden_layers':48,'num_attention_heads':32,'num_key_value_heads':4,'vocab_size':151936,'tie_word_embeddings':false,'torch_dtype':'bfloat16','head_dim':128,'num_experts':128,'num_experts_per_tok':8,'moe_intermediate_size':768,'decoder_sparse_step':1}",
		  30531911680, 61063823360 },
		{ "Qwen3-30B-A3B-FP8",
		  "{'architectures':['Qwen3MoeForCausalLM'],'hidden_size':2048,'intermediate_size':6144,'num_hidden_layers':48,'num_attention_heads':32,'num_key_value_heads':4,'vocab_size':151936,'tie_word_embeddings':false,'torch_dtype':'bfloat16','head_dim':128,'num_experts':128,'num_experts_per_tok':8,'moe_intermediate_size':768,'decoder_sparse_step':1,'quantization_config':{'quant_method':'fp8','fmt':'e4m3','activation_scheme':'dynamic','weight_block_size':[128,128],'modules_to_not_convert':['lm_head','re:.*mlp\\\\.gate$']}}",
		  30531911680, 31166824448 },
		{ "Qwen3-235B-A22B-FP8",
		  "{'architectures':['Qwen3MoeForCausalLM'],'hidden_size':4096,'intermediate_size':12288,'num_hidden_layers':94,'num_attention_heads':64,'num_key_value_heads':4,'vocab_size':151936,'tie_word_embeddings':false,'torch_dtype':'bfloat16','head_dim':128,'num_experts':128,'num_experts_per_tok':8,'moe_intermediate_size':1536,'decoder_sparse_step':1,'quantization_config':{'quant_method':'fp8','fmt':'e4m3','activation_scheme':'dynamic','weight_block_size':[128,128],'modules_to_not_convert':['lm_head','re:.*mlp\\\\.gate$']}}",
		  235092836352, 236386779136 },
		{ "DeepSeek-V3",
		  "{'architectures':['DeepseekV3ForCausalLM'],'hidden_size':7168,'intermediate_size':18432,'num_hidden_layers':61,'num_attention_heads':128,'num_key_value_heads':128,'vocab_size':129280,'tie_word_embeddings':false,'torch_dtype':'bfloat16','q_lora_rank':1536,'kv_lora_rank':512,'qk_nope_head_dim':128,'qk_rope_head_dim':64,'v_head_dim':128,'n_routed_experts':256,'n_shared_experts':1,'first_k_dense_replace':3,'moe_layer_freq':1,'moe_intermediate_size':2048,'num_experts_per_tok':8,'quantization_config':{'quant_method':'fp8','fmt':'e4m3','activation_scheme':'dynamic','weight_block_size':[128,128]}}",
		  671025397760, 672985186304 },
		{ "DeepSeek-V2-Lite",
		  "{'architectures':['DeepseekV2ForCausalLM'],'hidden_size':2048,'intermediate_size':10944,'num_hidden_layers':27,'num_attention_heads':16,'num_key_value_heads':16,'vocab_size':102400,'tie_word_embeddings':false,'torch_dtype':'bfloat16','q_lora_rank':null,'kv_lora_rank':512,'qk_nope_head_dim':128,'qk_rope_head_dim':64,'v_head_dim':128,'n_routed_experts':64,'n_shared_experts':2,'first_k_dense_replace':1,'moe_layer_freq':1,'moe_intermediate_size':1408,'num_experts_per_tok':6}",
		  15706357760, 31412715520 },
		{ "Llama-3.1-405B",
		  "{'architectures':['LlamaForCausalLM'],'hidden_size':16384,'intermediate_size':53248,'num_hidden_layers':126,'num_attention_heads':128,'num_key_value_heads':8,'vocab_size':128256,'tie_word_embeddings':false,'torch_dtype':'bfloat16'}",
		  405849243648, 811698487296 },
		{ "Llama-3.1-8B",
		  "{'architectures':['LlamaForCausalLM'],'hidden_size':4096,'intermediate_size':14336,'num_hidden_layers':32,'num_attention_heads':32,'num_key_value_heads':8,'vocab_size':128256,'tie_word_embeddings':false,'torch_dtype':'bfloat16'}",
		  8029995008, 16059990016 },
		{ "Llama-3.2-3B",
		  "{'architectures':['LlamaForCausalLM'],'hidden_size':3072,'intermediate_size':8192,'num_hidden_layers':28,'num_attention_heads':24,'num_key_value_heads':8,'vocab_size':128256,'tie_word_embeddings':true,'torch_dtype':'bfloat16','head_dim':128}",
		  3212574720, 6425149440 },
		{ "Llama-2-7B",
		  "{'architectures':['LlamaForCausalLM'],'hidden_size':4096,'intermediate_size':11008,'num_hidden_layers':32,'num_attention_heads':32,'num_key_value_heads':32,'vocab_size':32000,'tie_word_embeddings':false,'torch_dtype':'bfloat16'}",
		  6738149376, 13476298752 },
		{ "Llama-2-13B",
		  "{'architectures':['LlamaForCausalLM'],'hidden_size':5120,'intermediate_size':13824,'num_hidden_layers':40,'num_attention_heads':40,'num_key_value_heads':40,'vocab_size':32000,'tie_word_embeddings':false,'torch_dtype':'bfloat16'}",
		  13015449600, 26030899200 },
		{ "TinyLlama-1.1B",
		  "{'architectures':['LlamaForCausalLM'],'hidden_size':2048,'intermediate_size':5632,'num_hidden_layers':22,'num_attention_heads':32,'num_key_value_heads':4,'vocab_size':32000,'tie_word_embeddings':false,'torch_dtype':'bfloat16'}",
		  1099956224, 2199912448 },
		{ "SmolLM2-135M",
		  "{'architectures':['LlamaForCausalLM'],'hidden_size':576,'intermediate_size':1536,'num_hidden_layers':30,'num_attention_heads':9,'num_key_value_heads':3,'vocab_size':49152,'tie_word_embeddings':true,'torch_dtype':'bfloat16'}",
		  134479872, 268959744 },
		{ "Mixtral-8x7B",
		  "{'architectures':['MixtralForCausalLM'],'hidden_size':4096,'intermediate_size':14336,'num_hidden_layers':32,'num_attention_heads':32,'num_key_value_heads':8,'vocab_size':32000,'tie_word_embeddings':false,'torch_dtype':'bfloat16','num_local_experts':8,'num_experts_per_tok':2}",
		  46702526464, 93405052928 },
		{ "Mistral-7B",
		  "{'architectures':['MistralForCausalLM'],'hidden_size':4096,'intermediate_size':14336,'num_hidden_layers':32,'num_attention_heads':32,'num_key_value_heads':8,'vocab_size':32000,'tie_word_embeddings':false,'torch_dtype':'bfloat16'}",
		  7241465856, 14482931712 },
		{ "Mistral-Nemo",
		  "{'architectures':['MistralForCausalLM'],'hidden_size':5120,'intermediate_size':14336,'num_hidden_layers':40,'num_attention_heads':32,'num_key_value_heads':8,'vocab_size':131072,'tie_word_embeddings':false,'torch_dtype':'bfloat16','head_dim':128}",
		  12247367680, 24494735360 },
		{ "Qwen2.5-7B",
		  "{'architectures':['Qwen2ForCausalLM'],'hidden_size':3584,'intermediate_size':18944,'num_hidden_layers':28,'num_attention_heads':28,'num_key_value_heads':4,'vocab_size':152064,'tie_word_embeddings':false,'torch_dtype':'bfloat16'}",
		  7615283200, 15230566400 },
		{ "Qwen2-0.5B",
		  "{'architectures':['Qwen2ForCausalLM'],'hidden_size':896,'intermediate_size':4864,'num_hidden_layers':24,'num_attention_heads':14,'num_key_value_heads':2,'vocab_size':151936,'tie_word_embeddings':true,'torch_dtype':'bfloat16'}",
		  493961216, 987922432 },
	};
	/* clang-format on */

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		cJSON *graph = graph_of(rows[i].config);
		struct graph_weights w;

		graph_weights_sum(&w, graph);
		if (w.parameters != rows[i].parameters ||
		    fabs(w.bytes / rows[i].bytes - 1) > 0.0001)
			fail_msg("%s: %.0f parameters, %.0f bytes; %.0f and %.0f wanted",
				 rows[i].name, w.parameters, w.bytes, rows[i].parameters,
				 rows[i].bytes);
		cJSON_Delete(graph);
	}
}

#define EXCLUDING                                                         \
	"{%s,'quantization_config':{'quant_method':'compressed-tensors'," \
	"'format':'float-quantized','config_groups':{'g':{'targets':"     \
	"['Linear'],'weights':{'num_bits':8,'type':'float',"              \
	"'strategy':'tensor'}}},'ignore':['lm_head'%s%s%s]}}"

static void one_module_excluded_grows_one_layer(void **state)
{
	/* Its down_proj, 4096 x 14336, is 16 bit instead of 8: a byte more for each weight,
	 * with every prefix and pattern an exclusion is written in. */
	static const char shape[] =
		"'architectures':['LlamaForCausalLM'],'hidden_size':4096,'intermediate_size':14336,"
		"'num_hidden_layers':32,'num_attention_heads':32,'num_key_value_heads':8,'vocab_"
		"size':128256,'tie_word_embeddings':false,'torch_dtype':'bfloat16'";
	static const char *const excluded[] = {
		"model.layers.0.mlp.down_proj",
		"model.language_model.layers.0.mlp.down_proj",
		"language_model.model.layers.0.mlp.down_proj",
		"re:.*layers\\\\.0\\\\.mlp\\\\.down_proj",
	};
	struct graph_weights none, one;
	char config[2048];
	cJSON *graph;

	(void)state;
	snprintf(config, sizeof(config), EXCLUDING, shape, "", "", "");
	graph = graph_of(config);
	graph_weights_sum(&none, graph);
	cJSON_Delete(graph);
	for (size_t i = 0; i < sizeof(excluded) / sizeof(excluded[0]); i++) {
		snprintf(config, sizeof(config), EXCLUDING, shape, ",'", excluded[i], "'");
		graph = graph_of(config);
		graph_weights_sum(&one, graph);
		if (one.bytes - none.bytes != 58720256)
			fail_msg("%s: %.0f", excluded[i], one.bytes - none.bytes);
		cJSON_Delete(graph);
	}
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(shipped_graphs_have_their_public_parameter_counts),
		cmocka_unit_test(parameters_and_bytes_are_those_counted_independently),
		cmocka_unit_test(one_module_excluded_grows_one_layer),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
