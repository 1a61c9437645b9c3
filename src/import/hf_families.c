/* What every architecture's keys mean. Names are those of the engine's registry of models. */
#include "import/hf_config.h"

#include <string.h>

/* clang-format off */
const char hf_common[] =
	"hidden = hidden_size ?? n_embd ?? d_model ?? model_dim;"
	"layers = num_hidden_layers ?? n_layer ?? num_layers ?? n_layers;"
	"heads = num_attention_heads ?? n_head ?? n_heads ?? num_heads;"
	"kv_heads = num_key_value_heads ?? n_head_kv ?? num_kv_heads ?? heads;"
	"head_dim = head_dim ?? attention_head_dim ?? kv_channels ?? hidden / heads;"
	"v_dim = head_dim;"
	"q_rows = heads * head_dim;"
	"kv_rows = kv_heads * (head_dim + v_dim);"
	"inner = intermediate_size ?? ffn_hidden_size ?? n_inner ?? ffn_dim;"
	"is_gated = 1;"
	"vocab = vocab_size ?? padded_vocab_size;"
	"tied = tie_word_embeddings ?? 0;"
	"context = max_position_embeddings ?? n_positions ?? seq_length ?? max_sequence_length ??"
	" max_seq_len ?? model_max_length ?? 0;"
	"window = sliding_window ?? sliding_window_size ?? 0;"
	"is_window = has(layer_types) ? layer_types == 'sliding_attention' :"
	" window > 0 && (use_sliding_window ?? 1) && l >= (max_window_layers ?? 0);"
	"mixer = is_window ? 'swa' : 'gqa';"
	"ffn = is_moe ? 'moe' : 'dense';"
	/* over what queries and keys are normed */
	"norms = '';"
	"qk_norm = !(use_qk_norm ?? 1) ? '' : has(qk_norm_type) ?"
	" (qk_norm_type == 'per_layer' ? 'all_heads' : 'per_head') :"
	" norms == '' && (use_qk_norm ?? 0) ? 'per_head' : norms;"
	/* experts */
	"experts = n_routed_experts ?? num_experts ?? num_local_experts ?? moe_num_experts ?? 0;"
	"top_k = num_experts_per_tok ?? moe_topk ?? moe_top_k ?? moe_k ?? num_experts_per_token ??"
	" num_selected_experts;"
	"expert_inner = moe_intermediate_size ?? expert_ffn_hidden_size ?? inner;"
	"is_moe = experts > 1 && (draft || (has(mlp_layer_types) ? mlp_layer_types == 'sparse' :"
	" l >= (first_k_dense_replace ?? num_dense_layers ?? 0) && !in(l, mlp_only_layers) &&"
	" ((decoder_sparse_step ?? 0) < 2 || (l + 1) % decoder_sparse_step == 0) &&"
	" ((moe_layer_freq ?? 1) == 1 || ((moe_layer_freq ?? 1) > 1 && l % moe_layer_freq == 0))));"
	"shared_total = shared_expert_intermediate_size ?? moe_shared_expert_intermediate_size ??"
	" shared_intermediate_size ?? share_expert_dim ?? 0;"
	"shared = n_shared_experts ?? num_shared_experts ?? moe_num_shared_experts ??"
	" num_shared_expert ?? (shared_total > 0 ? 1 : 0);"
	"shared_inner = shared_total > 0 ? shared_total : expert_inner;"
	"latent = 0;"
	/* latent attention */
	"q_rank = q_lora_rank ?? 0;"
	"kv_rank = kv_lora_rank;"
	"rope = qk_rope_head_dim;"
	"nope = qk_nope_head_dim;"
	"latent_value = v_head_dim;"
	"latent_gate = 0;"
	"is_sparse = has(index_topk);"
	"is_sharing = has(indexer_types) ? indexer_types == 'shared' :"
	" has(index_topk_pattern) ? letter(index_topk_pattern, l) == 'S' :"
	" (index_topk_freq ?? 1) > 1 && l - (index_skip_topk_offset ?? 1) > 0 &&"
	" (l - (index_skip_topk_offset ?? 1)) % index_topk_freq != 0;"
	"latent_mixer = is_sparse ? (is_sharing && !draft ? 'sparse_shared' : 'sparse') : 'mla';"
	/* recurrent mixers */
	"m_heads = mamba_num_heads ?? mamba_n_heads;"
	"m_inner = mamba_d_ssm ?? (has(mamba_num_heads) ? mamba_num_heads * mamba_head_dim :"
	" mamba_expand * hidden);"
	"m_state = ssm_state_size ?? mamba_d_state ?? state_size;"
	"m_groups = n_groups ?? mamba_n_groups ?? 1;"
	"m_conv = conv_kernel ?? mamba_d_conv ?? 4;"
	"m_rank = mamba_dt_rank ?? up(hidden, 16) / 16;"
	"kda_heads = linear_attn_config.num_heads;"
	"kda_dim = linear_attn_config.head_dim;"
	"kda_gate_rank = kda_dim;"
	/* drafts: how many layers, and how many parts each has */
	"drafts = 0;"
	"draft_parts = 1;";

const char hf_towers[] =
	"v_hidden = vision_config.hidden_size ?? vision_config.vt_hidden_size ??"
	" vision_config.embed_dim;"
	"v_layers = vision_config.num_hidden_layers ?? vision_config.depth ??"
	" vision_config.vt_num_hidden_layers;"
	"v_inner = vision_config.intermediate_size ?? vision_config.vt_intermediate_size ??"
	" v_hidden * (vision_config.mlp_ratio ?? 4);"
	"v_matrices = 2;"
	"v_patch = 3 * (vision_config.patch_size ?? 14) * (vision_config.patch_size ?? 14) *"
	" (vision_config.temporal_patch_size ?? 1) * v_hidden;"
	"v_merge = vision_config.spatial_merge_size ?? spatial_merge_size ?? 1;"
	"v_wide = v_hidden * v_merge * v_merge;"
	"v_projector = v_wide * hidden + hidden * hidden;"
	"vision = v_layers * (4 * v_hidden * v_hidden + v_matrices * v_hidden * v_inner) + v_patch +"
	" v_projector;"
	"audio = (audio_config.num_hidden_layers ?? audio_config.encoder_layers) *"
	" (4 * (audio_config.hidden_size ?? audio_config.d_model) *"
	" (audio_config.hidden_size ?? audio_config.d_model) +"
	" 2 * (audio_config.hidden_size ?? audio_config.d_model) *"
	" (audio_config.intermediate_size ?? audio_config.encoder_ffn_dim ??"
	" 4 * audio_config.hidden_size));"
	"positions = 0;";

/* Parts of definitions that several families share. */
#define LATENT "mixer = latent_mixer; "
#define MTP(method) "drafts = num_nextn_predict_layers ?? 0; draft_method = '" method "'; "
#define PER_HEAD "norms = 'per_head'; "
#define ALL_HEADS "norms = 'all_heads'; "
#define UNGATED "is_gated = 0; "
#define TIED "tied = tie_word_embeddings ?? 1; "
#define WIDE_INNER "inner = intermediate_size ?? n_inner ?? 4 * hidden; "
#define QWEN_MERGER "(v_wide * v_wide + v_wide * (vision_config.out_hidden_size ?? hidden)); " \
	"v_merge = vision_config.spatial_merge_size ?? 2; "
#define QWEN_VISION "v_projector = " QWEN_MERGER
/* A projector for each layer whose features go to the decoder's first layers, and one more. */
#define QWEN3_VISION \
	"v_projector = (1 + length(vision_config.deepstack_visual_indexes)) * " QWEN_MERGER
#define EVERY_NTH_FULL(key, n) \
	"is_window = window > 0 && (has(layer_types) ? layer_types == 'sliding_attention' :" \
	" (l + 1) % (" key " ?? " n ") != 0); "
#define GATED_DELTA(method) PER_HEAD \
	"mixer = draft || (has(layer_types) ? layer_types != 'linear_attention' :" \
	" (l + 1) % (full_attention_interval ?? 4) == 0) ? 'gqa' : 'gdn';" \
	"q_rows = 2 * heads * head_dim;" \
	"drafts = mtp_num_hidden_layers ?? 0; draft_method = '" method "'; "
#define VISION_KIMI "v_projector = v_hidden * 4 * v_hidden * 4 + v_hidden * 4 * hidden; "

const struct hf_family hf_families[] = {
	{ "LlamaForCausalLM LLaMAForCausalLM MistralForCausalLM MinistralForCausalLM Ministral3ForCausalLM Qwen2ForCausalLM "
	  "Qwen2MoeForCausalLM MixtralForCausalLM InternLMForCausalLM InternLM2ForCausalLM "
	  "InternLM3ForCausalLM BaichuanForCausalLM BaiChuanForCausalLM OrionForCausalLM AquilaForCausalLM AquilaModel "
	  "XverseForCausalLM SolarForCausalLM SeedOssForCausalLM OlmoForCausalLM "
	  " Phi3ForCausalLM PhiMoEForCausalLM PhimoeForCausalLM StableLmForCausalLM StableLMEpochForCausalLM "
	  "ExaoneForCausalLM GlmForCausalLM Glm4ForCausalLM Dots1ForCausalLM TeleChat2ForCausalLM TeleFLMForCausalLM "
	  "SmolLM3ForCausalLM DeepseekForCausalLM Fairseq2LlamaForCausalLM Grok1ModelForCausalLM CwmForCausalLM "
	  "IQuestCoderForCausalLM", "" },
	{ "Qwen3ForCausalLM Qwen3MoeForCausalLM", PER_HEAD },
	{ "MiniMaxM2ForCausalLM Olmo2ForCausalLM OlmoeForCausalLM FlexOlmoForCausalLM", ALL_HEADS },
	{ "GptOssForCausalLM", "experts = num_local_experts ?? num_experts; " },
	{ "MiMoForCausalLM", MTP("mimo_mtp") },
	{ "GraniteForCausalLM GraniteMoeForCausalLM GraniteMoeSharedForCausalLM", TIED },
	{ "MiniCPMForCausalLM", TIED },
	{ "Step3p5ForCausalLM Step3p7FlashForCausalLM",
	  PER_HEAD MTP("step3p5_mtp")
	  "experts = num_experts ?? moe_num_experts; top_k = num_experts_per_tok ?? moe_top_k;"
	  "kv_heads = is_window && has(attention_other_setting) ? attention_other_setting.num_attention_groups :"
	  " num_key_value_heads ?? num_attention_groups;"
	  "heads = is_window && has(attention_other_setting) ? attention_other_setting.num_attention_heads :"
	  " num_attention_heads;"
	  "is_moe = experts > 1 && (draft || (has(moe_layers_enum) ? in(l, moe_layers_enum) :"
	  " l >= (first_k_dense_replace ?? 0)));"
	  "head_gate = use_head_wise_attn_gate ?? 0 ? heads : 0; " },
	{ "LagunaForCausalLM",
	  PER_HEAD "heads = num_attention_heads_per_layer ?? num_attention_heads;"
	  "head_gate = !has(gating) ? 0 : (gating_types ?? gating) == 'per_head' || gating == 'per-head' ? heads :"
	  " q_rows; " },
	{ "AfmoeForCausalLM", PER_HEAD "head_gate = q_rows;" EVERY_NTH_FULL("global_attn_every_n_layers", "4") },
	{ "Olmo3ForCausalLM Exaone4ForCausalLM ExaoneMoEForCausalLM",
	  PER_HEAD EVERY_NTH_FULL("sliding_window_pattern", "4") MTP("exaone_moe_mtp") },
	{ "Exaone4_5_ForConditionalGeneration", EVERY_NTH_FULL("sliding_window_pattern", "4") QWEN_VISION },
	{ "CohereForCausalLM", TIED },
	{ "Cohere2ForCausalLM Cohere2VisionForConditionalGeneration AyaVisionForConditionalGeneration",
	  TIED EVERY_NTH_FULL("sliding_window_pattern", "4") },
	{ "GemmaForCausalLM", TIED },
	{ "Gemma2ForCausalLM", TIED EVERY_NTH_FULL("sliding_window_pattern", "2") },
	{ "Gemma3ForCausalLM Gemma3TextModel Gemma3ForConditionalGeneration",
	  PER_HEAD TIED EVERY_NTH_FULL("sliding_window_pattern", "6")
	  "heads = num_attention_heads ?? 8; kv_heads = num_key_value_heads ?? 4; head_dim = head_dim ?? 256;"
	  "vocab = vocab_size ?? 262208; v_projector = v_hidden * hidden; context = max_position_embeddings ?? 131072;"
	  "v_positions = (vision_config.image_size ?? 896) / (vision_config.patch_size ?? 14); " },
	{ "Gemma4ForCausalLM Gemma4ForConditionalGeneration",
	  PER_HEAD TIED "is_full = has(layer_types) ? layer_types == 'full_attention' : 0;"
	  "is_window = !is_full; is_one = is_full && (attention_k_eq_v ?? 0);"
	  "head_dim = is_full ? global_head_dim ?? head_dim : head_dim;"
	  "kv_heads = is_one ? num_global_key_value_heads ?? num_key_value_heads : num_key_value_heads;"
	  /* keys that serve as values are one projection */
	  "kv_rows = kv_heads * head_dim * (is_one ? 1 : 2);"
	  "is_moe = enable_moe_block ?? 0; ffn = is_moe ? 'dense+moe' : 'dense';"
	  "top_k = top_k_experts; expert_inner = moe_intermediate_size ?? expert_intermediate_size; shared = 0;"
	  "is_late = l >= layers - (num_kv_shared_layers ?? 0);"
	  "inner = intermediate_size * (is_late && (use_double_wide_mlp ?? 0) ? 2 : 1);"
	  "per_layer = hidden_size_per_layer_input ?? 0;"
	  "v_matrices = 3; v_projector = v_hidden * hidden; " },
	{ "PhiForCausalLM", UNGATED WIDE_INNER },
	{ "Phi3SmallForCausalLM", "inner = ff_intermediate_size; is_window = 0; " },
	{ "Phi3VForCausalLM",
	  /* the tower is CLIP ViT-L/14 at 336; the file only names it */
	  "vision = 24 * (4 * 1024 * 1024 + 2 * 1024 * 4096) + 3 * 14 * 14 * 1024 +"
	  " 4 * 1024 * hidden + hidden * hidden; " },
	{ "Phi4MMForCausalLM Phi4MultimodalForCausalLM", "is_window = 0; tied = tie_word_embeddings ?? 1; " },
	{ "GPT2LMHeadModel", UNGATED TIED WIDE_INNER "positions = n_positions; " },
	{ "GPTBigCodeForCausalLM", UNGATED TIED WIDE_INNER "kv_heads = multi_query ?? 1 ? 1 : heads; positions = n_positions; " },
	{ "GPTJForCausalLM", UNGATED "inner = n_inner ?? 4 * hidden; " },
	{ "GPTNeoXForCausalLM", UNGATED WIDE_INNER },
	{ "Starcoder2ForCausalLM", UNGATED TIED },
	{ "OPTForCausalLM", UNGATED TIED "inner = ffn_dim; positions = max_position_embeddings + 2; " },
	{ "BloomForCausalLM", UNGATED TIED "hidden = hidden_size ?? n_embed; inner = 4 * hidden; " },
	{ "MPTForCausalLM MptForCausalLM", UNGATED TIED
	  "inner = (expansion_ratio ?? 4) * hidden; kv_heads = attn_config.kv_n_heads ?? heads; " },
	{ "FalconForCausalLM RWForCausalLM", UNGATED TIED
	  "inner = ffn_hidden_size ?? 4 * hidden;"
	  "kv_heads = new_decoder_architecture ?? 0 ? num_kv_heads ?? n_head_kv ?? heads : multi_query ?? 1 ? 1 : heads; " },
	{ "PersimmonForCausalLM NemotronForCausalLM ArceeForCausalLM ApertusForCausalLM", UNGATED },
	{ "QWenLMHeadModel QWenForCausalLM", "inner = intermediate_size / 2; " },
	{ "ChatGLMModel ChatGLMForConditionalGeneration",
	  "kv_heads = multi_query_attention ?? 0 ? multi_query_group_num : heads; " },
	{ "DbrxForCausalLM",
	  "kv_heads = attn_config.kv_n_heads ?? heads; experts = ffn_config.moe_num_experts;"
	  "top_k = ffn_config.moe_top_k; expert_inner = ffn_config.ffn_hidden_size; " },
	{ "Ernie4_5ForCausalLM Ernie4_5_ForCausalLM", TIED },
	{ "Ernie4_5_MoeForCausalLM", TIED
	  "is_moe = experts > 1 && l >= (moe_layer_start_index ?? 0) && l <= (moe_layer_end_index ?? layers) &&"
	  " (l + 1) % (moe_layer_interval ?? 1) == 0;"
	  "drafts = num_nextn_predict_layers ?? 0; draft_method = 'ernie_mtp'; " },
	{ "HunYuanDenseV1ForCausalLM", PER_HEAD TIED },
	{ "HunYuanMoEV1ForCausalLM", PER_HEAD TIED "expert_inner = moe_intermediate_size ?? intermediate_size;"
	  "is_moe = experts > 1 && l >= (moe_layer_num_skipped ?? 0); " },
	{ "BailingMoeForCausalLM BailingMoeV2ForCausalLM", MTP("bailing_moe_mtp") },
	{ "Glm4MoeForCausalLM", MTP("glm4_moe_mtp") },
	{ "Glm4MoeLiteForCausalLM", LATENT MTP("glm4_moe_lite_mtp") },
	{ "DeepseekV2ForCausalLM MiniCPM3ForCausalLM", LATENT },
	{ "DeepseekV3ForCausalLM DeepseekV32ForCausalLM GlmMoeDsaForCausalLM MistralLarge3ForCausalLM", LATENT MTP("deepseek_mtp") },
	{ "KimiK25ForConditionalGeneration", LATENT MTP("deepseek_mtp") VISION_KIMI },
	{ "KimiVLForConditionalGeneration", LATENT VISION_KIMI },
	{ "DeepseekVLV2ForCausalLM", "mixer = use_mla ?? 1 ? 'mla' : 'gqa'; " },
	{ "LongcatFlashForCausalLM",
	  /* a layer holds two of attention and feed-forward beside its experts */
	  "mixer = draft ? 'mla' : 'mla+dense+mla'; ffn = draft ? 'dense' : 'dense+moe'; is_moe = 1;"
	  "experts = n_routed_experts; top_k = moe_topk; router = experts + (zero_expert_num ?? 0);"
	  MTP("longcat_flash_mtp") },
	{ "DeepseekV4ForCausalLM", MTP("deepseek_mtp") "family = 'deepseek-v4'; "
	  "ratio = draft ? 0 : compress_ratios ?? 0;"
	  "mixer = ratio == 4 ? 'csa4' : ratio > 0 ? 'csa128' : draft ? 'csa_draft' : 'csa0';" },
	{ "MiniMaxM3SparseForConditionalGeneration MiniMaxM3SparseForCausalLM",
	  "mixer = draft || sparse_attention_config.sparse_attention_freq ? 'block_sparse' : 'gqa';"
	  "inner = dense_intermediate_size; expert_inner = intermediate_size; shared = n_shared_experts ?? 0;"
	  "shared_inner = shared_intermediate_size; window = sparse_attention_config.sparse_block_size *"
	  " (sparse_attention_config.sparse_topk_blocks + (sparse_attention_config.sparse_local_block ?? 1));"
	  "drafts = num_mtp_modules ?? 0; draft_method = 'minimax_m3_mtp';"
	  "v_merge = img_token_compression_config.spatial_merge_size ?? 2;"
	  "v_patch = 3 * vision_config.patch_size * vision_config.patch_size *"
	  " (img_token_compression_config.temporal_patch_size ?? 2) * v_hidden;"
	  "v_projector = v_hidden * hidden + hidden * hidden + v_merge * v_merge * hidden * hidden + hidden * hidden; " },
	{ "MiniMaxText01ForCausalLM MiniMaxM1ForCausalLM MiniMaxForCausalLM",
	  "mixer = has(attn_type_list) ? (attn_type_list == 1 ? 'gqa' : 'lightning') :"
	  " layer_types == 'full_attention' ? 'gqa' : 'lightning'; is_window = 0; " },
	{ "MiMoV2FlashForCausalLM",
	  "is_window = draft || hybrid_layer_pattern == 1; window = sliding_window ?? sliding_window_size;"
	  "heads = is_window ? swa_num_attention_heads ?? num_attention_heads : num_attention_heads;"
	  "kv_heads = is_window ? swa_num_key_value_heads ?? num_key_value_heads : num_key_value_heads;"
	  "head_dim = is_window ? swa_head_dim ?? head_dim : head_dim;"
	  "v_dim = is_window ? swa_v_head_dim ?? v_head_dim : v_head_dim;"
	  "is_moe = !draft && moe_layer_freq == 1; shared = n_shared_experts ?? 0;"
	  "drafts = num_nextn_predict_layers ?? 0; draft_method = 'mimo_v2_mtp'; " },
	{ "Llama4ForConditionalGeneration Llama4ForCausalLM",
	  "is_window = (attention_chunk_size ?? 0) > 0 && (has(no_rope_layers) && length(no_rope_layers) > 0 ? no_rope_layers : (l + 1) % 4 != 0);"
	  "window = attention_chunk_size; experts = num_local_experts;"
	  "is_moe = has(moe_layers) && length(moe_layers) > 0 ? in(l, moe_layers) : (l + 1) % (interleave_moe_layer_step ?? 1) == 0;"
	  "inner = intermediate_size_mlp; expert_inner = intermediate_size; shared = 1; shared_inner = intermediate_size;"
	  "v_projector = v_inner * vision_config.projector_input_dim + vision_config.projector_input_dim * vision_config.projector_output_dim +"
	  " vision_config.vision_output_dim * hidden; " },
	{ "NemotronHForCausalLM NemotronHPuzzleForCausalLM", UNGATED
	  "part = draft ? (has(mtp_layers_block_type) ? item(mtp_layers_block_type, l - layers) :"
	  " letter(mtp_hybrid_override_pattern, l - layers)) :"
	  " has(layers_block_type) ? layers_block_type : letter(hybrid_override_pattern, l);"
	  "layers = has(layers_block_type) ? length(layers_block_type) : letters(hybrid_override_pattern);"
	  "mixer = part == 'M' || part == 'mamba' ? 'mamba2' : part == '*' || part == 'attention' ? 'gqa' :"
	  " part == 'E' || part == 'moe' || part == '-' || part == 'mlp' ? '' : part;"
	  "ffn = part == 'E' || part == 'moe' ? 'moe' : part == '-' || part == 'mlp' ? 'dense' : '';"
	  "latent = moe_latent_size ?? 0; is_window = 0; "
	  "draft_parts = has(mtp_layers_block_type) ? length(mtp_layers_block_type) :"
	  " letters(mtp_hybrid_override_pattern) ?? 0;"
	  MTP("nemotron_h_mtp") },
	{ "Qwen3NextForCausalLM", GATED_DELTA("qwen3_next_mtp") },
	{ "Qwen3_5ForCausalLM Qwen3_5MoeForCausalLM Qwen3_5ForConditionalGeneration Qwen3_5MoeForConditionalGeneration",
	  GATED_DELTA("qwen3_5_mtp") QWEN3_VISION },
	{ "KimiLinearForCausalLM",
	  "mixer = in(l + 1, linear_attn_config.full_attn_layers) ? 'mla' : 'kda';"
	  "m_conv = linear_attn_config.short_conv_kernel_size; top_k = num_experts_per_token ?? num_experts_per_tok;"
	  "drafts = 0; " },
	{ "KimiK3ForConditionalGeneration KimiK3ForCausalLM",
	  "mixer = in(l + 1, linear_attn_config.full_attn_layers) ? 'mla' : 'kda'; kda_gate_rank = 0;"
	  "m_conv = linear_attn_config.short_conv_kernel_size; top_k = num_experts_per_token ?? num_experts_per_tok;"
	  "latent_gate = heads * v_head_dim; latent = moe_latent_size ?? routed_expert_hidden_size ?? 0; " VISION_KIMI },
	{ "JambaForCausalLM",
	  "mixer = l % attn_layer_period == attn_layer_offset ? 'gqa' : 'mamba1'; is_window = 0;"
	  "is_moe = num_experts > 1 && l % expert_layer_period == expert_layer_offset; " },
	{ "MambaForCausalLM FalconMambaForCausalLM", TIED
	  "mixer = 'mamba1'; ffn = ''; m_inner = intermediate_size ?? (expand ?? 2) * hidden;"
	  "m_rank = time_step_rank; heads = 1; " },
	{ "Mamba2ForCausalLM", "tied = tie_word_embeddings ?? 0; mixer = 'mamba2'; ffn = ''; m_heads = num_heads;"
	  "m_inner = (expand ?? 2) * hidden; heads = num_heads; kv_heads = num_heads; " },
	{ "BambaForCausalLM", "mixer = in(l, attn_layer_indices) ? 'gqa' : 'mamba2'; " },
	{ "GraniteMoeHybridForCausalLM", TIED
	  "mixer = layer_types == 'attention' ? 'gqa' : 'mamba2';"
	  "inner = shared_intermediate_size; expert_inner = intermediate_size; is_moe = num_local_experts > 0; " },
	{ "FalconH1ForCausalLM", "mixer = 'gqa+mamba2'; " },
	{ "Lfm2ForCausalLM Lfm2MoeForCausalLM", TIED
	  "mixer = (has(layer_types) ? layer_types == 'full_attention' : in(l, full_attn_idxs)) ? 'gqa' : 'short_conv';"
	  "is_window = 0; inner = has(num_experts) || !(block_auto_adjust_ff_dim ?? 1) ? intermediate_size :"
	  " up(2 * (block_ff_dim ?? intermediate_size) / 3 * (block_ffn_dim_multiplier ?? 1), block_multiple_of ?? 256);"
	  "tied = tie_word_embeddings ?? tie_embedding ?? 1; " },
	{ "DeciLMForCausalLM NemotronNASForCausalLM",
	  "mixer = !has(block_configs) ? 'gqa' : block_configs.attention.no_op ?? 0 ? '' :"
	  " block_configs.attention.replace_with_linear ?? 0 ? 'linear' : 'gqa';"
	  "kv_heads = has(num_key_value_heads_per_layer) ? num_key_value_heads_per_layer :"
	  " has(block_configs) ? heads / block_configs.attention.n_heads_in_group : num_key_value_heads ?? heads;"
	  "inner = has(block_configs) ? block_configs.ffn.intermediate_size ??"
	  " up(2 * real(block_configs.ffn.ffn_mult * hidden) / 3, 256) : intermediate_size;"
	  "ffn = !has(block_configs) ? 'dense' : block_configs.ffn.no_op ?? 0 ? '' :"
	  " block_configs.ffn.replace_with_linear ?? 0 ? 'linear' : 'dense'; is_window = 0; " },
	{ "Step3TextForCausalLM Step3VLForConditionalGeneration",
	  "mixer = 'mfa'; kv_heads = num_attention_groups ?? 1; experts = moe_num_experts; top_k = moe_top_k;"
	  "is_moe = has(moe_layers_enum) ? in(l, moe_layers_enum) : l >= 4; shared = 1; shared_inner = share_expert_dim; " },
	/* decoders of multimodal models */
	{ "Mistral3ForConditionalGeneration PixtralForConditionalGeneration",
	  "heads = num_attention_heads ?? 32; kv_heads = num_key_value_heads ?? 8; v_matrices = 3;"
	  "v_merge = spatial_merge_size ?? 2; v_projector = v_hidden * v_merge * v_merge * v_hidden +"
	  " v_hidden * hidden + hidden * hidden; tied = tie_word_embeddings ?? 0; " },
	{ "LlavaForConditionalGeneration LlavaNextForConditionalGeneration LlavaOnevisionForConditionalGeneration",
	  /* what transformers takes for a Llama whose file leaves these out */
	  "hidden = hidden_size ?? 4096; layers = num_hidden_layers ?? 32; heads = num_attention_heads ?? 32;"
	  "inner = intermediate_size ?? 11008; v_projector = v_hidden * hidden + hidden * hidden; " },
	{ "Qwen2VLForConditionalGeneration",
	  "v_hidden = vision_config.embed_dim; v_projector = v_wide * v_wide + v_wide * hidden;"
	  "v_merge = vision_config.spatial_merge_size ?? 2;"
	  "v_inner = v_hidden * (vision_config.mlp_ratio ?? 4); " },
	{ "Qwen2_5_VLForConditionalGeneration", QWEN_VISION "v_matrices = 3; " },
	{ "Qwen3VLForConditionalGeneration Qwen3VLMoeForConditionalGeneration", PER_HEAD QWEN3_VISION },
	{ "Qwen2_5OmniForConditionalGeneration Qwen2_5OmniModel Qwen3OmniMoeForConditionalGeneration", "" },
	{ "InternVLChatModel InternVLForConditionalGeneration InternS1ForConditionalGeneration",
	  "v_merge = 2; v_projector = v_wide * hidden + hidden * hidden; " },
	{ "Glm4vForConditionalGeneration Glm4vMoeForConditionalGeneration Glm4_1VForConditionalGeneration",
	  "v_matrices = 3; v_merge = vision_config.spatial_merge_size ?? 2; v_projector = v_wide * hidden +"
	  " hidden * hidden + 3 * hidden * (vision_config.out_hidden_size ?? hidden); " },
	{ "Idefics3ForConditionalGeneration SmolVLMForConditionalGeneration",
	  "v_merge = scale_factor ?? 2; v_projector = v_hidden * v_merge * v_merge * hidden; " },
	{ NULL, NULL },
};

/* -- blocks --------------------------------------------------------------------------------- */

#define ALL_REDUCE(role, when) { "AllReduce", role, NULL, NULL, "emit = 'tensor_parallel'", NULL }
#define ATTENTION_OUT ALL_REDUCE("attn_out", NULL)
#define MIXER_OUT ALL_REDUCE("mixer_out", NULL)
#define MLP_OUT { "AllReduce", "mlp_out", NULL, NULL, "emit = 'tensor_parallel_unless_sp_moe'", NULL }

#define QKV_MODULES "self_attn.q_proj self_attn.k_proj self_attn.v_proj self_attn.qkv_proj mixer.q_proj mixer.k_proj " \
	"mixer.v_proj attention.wqkv attn.c_attn attn.qkv self_attn.query_key_value attention.query_key_value self_attn.W_pack"
#define O_MODULES "self_attn.o_proj mixer.o_proj attention.wo attn.c_proj self_attn.dense attention.dense"

static const struct hf_row gqa_rows[] = {
	{ "GEMM", "qkv_proj", NULL, NULL, "n = q_rows + kv_rows; k = hidden", QKV_MODULES },
	{ "GEMM", "attn_gate_proj", "head_gate > 0", NULL, "n = head_gate; k = hidden", "self_attn.g_proj self_attn.gate_proj" },
	{ "Attention", "", NULL, "block == 'swa' ? 'swa' : 'gqa'",
	  "n_q = heads; n_kv = kv_heads; d_h = head_dim; window = block == 'swa' ? window : 0;"
	  "qk_norm = qk_norm", NULL },
	{ "GEMM", "o_proj", NULL, NULL, "n = hidden; k = heads * v_dim", O_MODULES },
	{ "GEMM", "per_layer_gate", "per_layer > 0", NULL, "n = per_layer; k = hidden", NULL },
	{ "GEMM", "per_layer_projection", "per_layer > 0", NULL, "n = hidden; k = per_layer", NULL },
	ATTENTION_OUT,
	{ 0 },
};

/* Queries through a shared low rank, one head of keys. */
static const struct hf_row mfa_rows[] = {
	{ "GEMM", "qkv_proj", NULL, NULL, "n = share_q_dim + 2 * kv_heads * head_dim; k = hidden", QKV_MODULES },
	{ "GEMM", "q_b_proj", NULL, NULL, "n = heads * head_dim; k = share_q_dim", "self_attn.wq" },
	{ "Attention", "", NULL, "'gqa'", "n_q = heads; n_kv = kv_heads; d_h = head_dim", NULL },
	{ "GEMM", "o_proj", NULL, NULL, "n = hidden; k = heads * head_dim", O_MODULES },
	ATTENTION_OUT,
	{ 0 },
};

/* A norm reads and writes its 16-bit row: 4 bytes an element. */
static const struct hf_row mla_rows[] = {
	{ "GEMM", "qkv_a_proj", "q_rank > 0 || is_sparse", NULL, "n = q_rank + kv_rank + rope + latent_gate; k = hidden",
	  "self_attn.q_a_proj self_attn.kv_a_proj_with_mqa self_attn.fused_qkv_a_proj" },
	{ "GEMM", "kv_a_proj", "!(q_rank > 0 || is_sparse)", NULL, "n = kv_rank + rope; k = hidden", "self_attn.kv_a_proj_with_mqa" },
	{ "Elementwise", "qkv_a_layernorm", "is_sparse || latent_gate > 0", NULL,
	  "bytes_per_token = 4 * (q_rank + kv_rank + (block == 'sparse' ? index_head_dim : 0))", NULL },
	{ "Elementwise", "q_a_layernorm", "q_rank > 0 && !is_sparse && latent_gate == 0", NULL, "bytes_per_token = 4 * q_rank", NULL },
	{ "Elementwise", "kv_a_layernorm", "!is_sparse && latent_gate == 0", NULL, "bytes_per_token = 4 * kv_rank", NULL },
	{ "GEMM", "q_b_proj", "q_rank > 0 || is_sparse", NULL, "n = heads * (nope + rope); k = q_rank", "self_attn.q_b_proj" },
	{ "GEMM", "q_proj", "!(q_rank > 0 || is_sparse)", NULL, "n = heads * (nope + rope); k = hidden", "self_attn.q_proj" },
	{ "GEMM", "kv_b_proj", NULL, NULL, "n = heads * (nope + latent_value); k = kv_rank", "self_attn.kv_b_proj" },
	{ "GEMM", "index_wq_b", "block == 'sparse'", NULL, "n = index_n_heads * index_head_dim; k = q_rank", "self_attn.indexer.wq_b" },
	/* the key and head-weight projections are never quantized */
	{ "GEMM", "index_wk_weights_proj", "block == 'sparse'", NULL, "n = index_head_dim + index_n_heads; k = hidden", NULL },
	{ "Attention", "block_index_scores", "block == 'sparse'", "'gqa'", "n_q = index_n_heads; n_kv = 1; d_h = index_head_dim", NULL },
	{ "Attention", "", NULL, "block == 'mla' ? 'mla' : 'sparse_mla'",
	  "n_q = heads; n_kv = 1; d_h = kv_rank + rope; kv_lora_rank = kv_rank; qk_rope_head_dim = rope;"
	  "index_topk = is_sparse ? index_topk : 0; qk_nope_head_dim = nope; v_head_dim = latent_value", NULL },
	{ "Elementwise", "mla_output_gate", "latent_gate > 0", NULL, "bytes_per_token = 6 * latent_gate", NULL },
	{ "GEMM", "o_proj", NULL, NULL, "n = hidden; k = heads * latent_value", "self_attn.o_proj" },
	ATTENTION_OUT,
	{ 0 },
};

/* Windowed latent attention beside a compressed long range, picked or whole. */
static const struct hf_row csa_rows[] = {
	{ "GEMM", "fused_wqa_wkv", NULL, NULL, "n = q_rank + head_dim; k = hidden", "attn.wq_a attn.wkv self_attn.wq_a" },
	{ "Elementwise", "q_norm", NULL, NULL, "", NULL },
	{ "GEMM", "wq_b", NULL, NULL, "n = heads * head_dim; k = q_rank", "attn.wq_b self_attn.wq_b" },
	/* keys and gates; the short ratio holds both of two overlapping spans */
	{ "GEMM", "compressor_fused_wkv_wgate", "block == 'csa4' || block == 'csa128'", NULL,
	  "n = 2 * head_dim * (block == 'csa4' ? 2 : 1); k = hidden", NULL },
	{ "GEMM", "index_wq_proj", "block == 'csa4'", NULL, "n = index_n_heads * index_head_dim; k = q_rank", "attn.indexer.wq_b" },
	{ "GEMM", "index_weights_proj", "block == 'csa4'", NULL, "n = index_n_heads; k = hidden", NULL },
	{ "GEMM", "index_compressor_fused_wkv_wgate", "block == 'csa4'", NULL, "n = 4 * index_head_dim; k = hidden", NULL },
	{ "Attention", "block_index_scores", "block == 'csa4'", "'gqa'", "n_q = index_n_heads; n_kv = 1; d_h = index_head_dim", NULL },
	{ "Attention", "", NULL, "block == 'csa4' || block == 'csa128' ? 'sparse_mla' : 'mla'",
	  "n_q = heads; n_kv = 1; d_h = head_dim; qk_rope_head_dim = rope; window = sliding_window;"
	  "index_topk = block == 'csa4' ? index_topk : 0; compress_ratio = ratio", NULL },
	{ "GEMM", "wo_a", NULL, NULL, "n = o_groups * o_lora_rank; k = heads * head_dim / o_groups", "attn.wo_a self_attn.wo_a" },
	{ "GEMM", "wo_b", NULL, NULL, "n = hidden; k = o_groups * o_lora_rank", "attn.wo_b self_attn.wo_b" },
	ATTENTION_OUT,
	{ 0 },
};

static const struct hf_row block_sparse_rows[] = {
	{ "GEMM", "qkv_proj", NULL, NULL, "n = q_rows + kv_rows; k = hidden", QKV_MODULES },
	{ "GEMM", "index_qk_proj", NULL, NULL,
	  "n = (sparse_attention_config.sparse_num_index_heads + 1) * sparse_attention_config.sparse_index_dim; k = hidden",
	  "self_attn.index_q_proj self_attn.index_k_proj" },
	{ "Attention", "block_index_scores", NULL, "'gqa'",
	  "n_q = sparse_attention_config.sparse_num_index_heads; n_kv = 1; d_h = sparse_attention_config.sparse_index_dim", NULL },
	{ "Attention", "", NULL, "'swa'", "n_q = heads; n_kv = kv_heads; d_h = head_dim; window = window;"
	  "qk_norm = qk_norm", NULL },
	{ "GEMM", "o_proj", NULL, NULL, "n = hidden; k = heads * head_dim", O_MODULES },
	ATTENTION_OUT,
	{ 0 },
};

static const struct hf_row gdn_rows[] = {
	{ "GEMM", "gdn_qkvz_proj", NULL, NULL,
	  "n = 2 * linear_num_key_heads * linear_key_head_dim + 2 * linear_num_value_heads * linear_value_head_dim; k = hidden",
	  "linear_attn.in_proj_qkvz linear_attn.in_proj_qkv linear_attn.in_proj_z" },
	{ "GEMM", "gdn_ba_proj", NULL, NULL, "n = 2 * linear_num_value_heads; k = hidden",
	  "linear_attn.in_proj_ba linear_attn.in_proj_b linear_attn.in_proj_a" },
	{ "RecurrentUpdate", "", NULL, "'gdn'",
	  "n_heads = linear_num_value_heads; state_size = linear_value_head_dim; conv_kernel = linear_conv_kernel_dim;"
	  "intermediate_size = 2 * linear_num_key_heads * linear_key_head_dim + linear_num_value_heads * linear_value_head_dim;"
	  "state_dtype = 'fp32'", NULL },
	{ "GEMM", "mixer_out", NULL, NULL, "n = hidden; k = linear_num_value_heads * linear_value_head_dim", "linear_attn.out_proj" },
	MIXER_OUT,
	{ 0 },
};

static const struct hf_row kda_rows[] = {
	{ "GEMM", "kda_q_proj", NULL, NULL, "n = kda_heads * kda_dim; k = hidden", "self_attn.q_proj" },
	{ "GEMM", "kda_k_proj", NULL, NULL, "n = kda_heads * kda_dim; k = hidden", "self_attn.k_proj" },
	{ "GEMM", "kda_v_proj", NULL, NULL, "n = kda_heads * kda_dim; k = hidden", "self_attn.v_proj" },
	{ "GEMM", "kda_f_a_proj", NULL, NULL, "n = kda_dim; k = hidden", "self_attn.f_a_proj" },
	{ "GEMM", "kda_f_b_proj", NULL, NULL, "n = kda_heads * kda_dim; k = kda_dim", "self_attn.f_b_proj" },
	{ "GEMM", "kda_b_proj", NULL, NULL, "n = kda_heads; k = hidden", "self_attn.b_proj" },
	{ "GEMM", "kda_g_a_proj", "kda_gate_rank > 0", NULL, "n = kda_gate_rank; k = hidden", "self_attn.g_a_proj" },
	{ "GEMM", "kda_g_b_proj", "kda_gate_rank > 0", NULL, "n = kda_heads * kda_dim; k = kda_gate_rank", "self_attn.g_b_proj" },
	{ "GEMM", "kda_g_proj", "kda_gate_rank == 0", NULL, "n = kda_heads * kda_dim; k = hidden", "self_attn.g_proj" },
	{ "RecurrentUpdate", "", NULL, "'kda'",
	  "n_heads = kda_heads; state_size = kda_dim; conv_kernel = m_conv; state_dtype = 'fp32'", NULL },
	{ "GEMM", "kda_o_proj", NULL, NULL, "n = hidden; k = kda_heads * kda_dim", "self_attn.o_proj" },
	MIXER_OUT,
	{ 0 },
};

static const struct hf_row mamba2_rows[] = {
	{ "GEMM", "mixer_in", NULL, NULL, "n = 2 * m_inner + 2 * m_groups * m_state + m_heads; k = hidden", "mixer.in_proj mamba.in_proj" },
	{ "RecurrentUpdate", "", NULL, "'mamba2'",
	  "n_heads = m_heads; state_size = m_state; n_groups = m_groups; conv_kernel = m_conv; intermediate_size = m_inner;"
	  "state_dtype = mamba_ssm_cache_dtype == 'float32' ? 'fp32' : ''", NULL },
	{ "GEMM", "mixer_out", NULL, NULL, "n = hidden; k = m_inner", "mixer.out_proj mamba.out_proj" },
	MIXER_OUT,
	{ 0 },
};

/* Of the first kind: every channel is a head of its own, whose steps come through a low rank. */
static const struct hf_row mamba1_rows[] = {
	{ "GEMM", "mixer_in", NULL, NULL, "n = 2 * m_inner; k = hidden", "mamba.in_proj mixer.in_proj" },
	{ "GEMM", "mixer_x_proj", NULL, NULL, "n = m_rank + 2 * m_state; k = m_inner", "mamba.x_proj mixer.x_proj" },
	{ "GEMM", "mixer_dt_proj", NULL, NULL, "n = m_inner; k = m_rank", NULL },
	{ "RecurrentUpdate", "", NULL, "'mamba2'",
	  "n_heads = m_inner; state_size = m_state; conv_kernel = m_conv; intermediate_size = m_inner", NULL },
	{ "GEMM", "mixer_out", NULL, NULL, "n = hidden; k = m_inner", "mamba.out_proj mixer.out_proj" },
	MIXER_OUT,
	{ 0 },
};

static const struct hf_row lightning_rows[] = {
	{ "GEMM", "qkv_proj", NULL, NULL, "n = 3 * heads * head_dim; k = hidden", "self_attn.qkv_proj" },
	{ "RecurrentUpdate", "", NULL, "'gdn'", "n_heads = heads; state_size = head_dim; state_dtype = 'fp32'", NULL },
	{ "GEMM", "output_gate", NULL, NULL, "n = heads * head_dim; k = hidden", "self_attn.output_gate" },
	{ "GEMM", "mixer_out", NULL, NULL, "n = hidden; k = heads * head_dim", "self_attn.out_proj" },
	MIXER_OUT,
	{ 0 },
};

static const struct hf_row short_conv_rows[] = {
	{ "GEMM", "mixer_in", NULL, NULL, "n = 3 * hidden; k = hidden", "conv.in_proj" },
	{ "Elementwise", "short_conv", NULL, NULL, "bytes_per_token = 4 * hidden", NULL },
	{ "GEMM", "mixer_out", NULL, NULL, "n = hidden; k = hidden", "conv.out_proj" },
	MIXER_OUT,
	{ 0 },
};

static const struct hf_row linear_rows[] = {
	{ "GEMM", "linear", NULL, NULL, "n = hidden; k = hidden", "self_attn.linear mlp.linear" },
	ALL_REDUCE("linear_out", NULL),
	{ 0 },
};

static const struct hf_row dense_rows[] = {
	{ "GEMM", "mlp_gate_up", "is_gated", NULL, "n = 2 * inner; k = hidden",
	  "mlp.gate_proj mlp.up_proj mlp.gate_up_proj feed_forward.w1 feed_forward.w3 feed_forward.gate_proj feed_forward.up_proj" },
	{ "GEMM", "mlp_up", "!is_gated", NULL, "n = inner; k = hidden",
	  "mixer.up_proj mlp.up_proj mlp.fc1 mlp.c_fc mlp.fc_in mlp.dense_h_to_4h" },
	{ "GEMM", "mlp_down", NULL, NULL, "n = hidden; k = inner",
	  "mlp.down_proj mixer.down_proj mlp.fc2 mlp.c_proj mlp.fc_out mlp.dense_4h_to_h feed_forward.w2 feed_forward.down_proj" },
	MLP_OUT,
	{ 0 },
};

static const struct hf_row moe_rows[] = {
	{ "GEMM", "routed_expert_down_proj", "latent > 0", NULL, "n = latent; k = hidden",
	  "mixer.fc1_latent_proj mlp.fc1_latent_proj block_sparse_moe.fc1_latent_proj" },
	{ "GroupedGEMM", "experts", NULL, NULL,
	  "matrices = is_gated ? 0 : 2; n = expert_inner; k = hidden; experts = experts; top_k = top_k; shared_experts = shared;"
	  "shared_intermediate_size = shared > 0 && shared_inner != expert_inner ? shared_inner : 0; latent_size = latent",
	  "mlp.experts.0.gate_proj mlp.experts.0.up_proj mlp.experts.0.down_proj block_sparse_moe.experts.0.w1 "
	  "mixer.experts.0.up_proj ffn.experts.0.w1 feed_forward.experts.gate_up_proj mlp.experts.gate_up_proj moe.experts.0.gate_proj" },
	{ "GEMM", "routed_expert_up_proj", "latent > 0", NULL, "n = hidden; k = latent",
	  "mixer.fc2_latent_proj mlp.fc2_latent_proj block_sparse_moe.fc2_latent_proj" },
	{ "All2All", "moe_dispatch_combine", NULL, NULL, "emit = 'expert_parallel'", NULL },
	MLP_OUT,
	{ 0 },
};

static const struct hf_block blocks[] = {
	{ "gqa", "attn", gqa_rows },
	{ "swa", "swa", gqa_rows },
	{ "mfa", "attn", mfa_rows },
	{ "mla", "attn", mla_rows },
	{ "sparse", "attn", mla_rows },
	{ "sparse_shared", "attn", mla_rows },
	{ "csa4", "csa4", csa_rows },
	{ "csa128", "csa128", csa_rows },
	{ "csa0", "swa", csa_rows },
	{ "csa_draft", "mtp", csa_rows },
	{ "block_sparse", "sparse_attn", block_sparse_rows },
	{ "gdn", "gdn", gdn_rows },
	{ "kda", "kda", kda_rows },
	{ "mamba2", "mamba", mamba2_rows },
	{ "mamba1", "mamba", mamba1_rows },
	{ "lightning", "lightning", lightning_rows },
	{ "short_conv", "conv", short_conv_rows },
	{ "linear", "linear", linear_rows },
	{ "dense", "dense", dense_rows },
	{ "moe", "moe", moe_rows },
};
/* clang-format on */

const struct hf_block *hf_block(const char *name, size_t length)
{
	for (size_t i = 0; i < sizeof(blocks) / sizeof(blocks[0]); i++) {
		if (strlen(blocks[i].name) == length && !strncmp(blocks[i].name, name, length))
			return &blocks[i];
	}
	return NULL;
}
