#include "resolve/release_rules.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "price/integers.h"

/** What a side comes to; no larger than two registers, for it is passed about a lot. */
struct outcome {
	union {
		double number;
		const char *text;
	} as;
	enum { OUTCOME_UNKNOWN, OUTCOME_NUMBER, OUTCOME_TEXT } kind;
};

/** A rule being asked, of a node of the graph or of none. */
struct question {
	struct ss_kernel *k;
	const struct ss_layer_kind *kind;
	const struct ss_node *node;
	bool is_reduced; /**< ranks add up what the node makes: its columns are cut */
};

static struct outcome number(double value)
{
	return (struct outcome){ .as.number = value, .kind = OUTCOME_NUMBER };
}

static struct outcome text(const char *value)
{
	return (struct outcome){ .as.text = value, .kind = OUTCOME_TEXT };
}

static struct outcome unknown(void)
{
	return (struct outcome){ 0 };
}

static bool is_known(struct outcome o)
{
	return o.kind != OUTCOME_UNKNOWN;
}

/** 0 is "not known". */
static struct outcome count(int64_t value)
{
	return value > 0 ? number((double)value) : unknown();
}

/* -- the deployment --------------------------------------------------------------------------- */

static bool is_full_width(enum ss_dtype dtype)
{
	return dtype == SS_DTYPE_BF16 || dtype == SS_DTYPE_FP16 || dtype == SS_DTYPE_FP32;
}

/** What the checkpoint is stored at: the graph's format, or that of its narrow nodes. */
static enum ss_dtype checkpoint_format(const struct ss_model *model)
{
	enum ss_dtype format = model->weight_dtype;

	for (size_t i = 0; i < model->kind_count && is_full_width(format); i++)
		for (size_t j = 0; j < model->kinds[i].node_count; j++) {
			enum ss_dtype own = model->kinds[i].nodes[j].weight_dtype;

			if (own != SS_DTYPE_UNSTATED && !is_full_width(own))
				format = own;
		}
	return format;
}

static const char *attention_of(const struct ss_basis *b)
{
	if (b->has_dsa)
		return "dsa";
	if (b->has_sparse)
		return "sparse_mla";
	if (b->has_latent)
		return "mla";
	return b->has_attention ? "gqa" : "none";
}

static const char *served_as(const struct ss_kernel *k)
{
	if (!k->set.has_quantization)
		return "none";
	return k->set.served_as == SS_DTYPE_UNSTATED ? "checkpoint"
						     : ss_dtype_name(k->set.served_as);
}

/** Ranks an expert is cut over. */
static int64_t expert_shards(const struct ss_kernel *k)
{
	if (k->layout.ep > 1 || stated_bool(k, SS_F_EXPERT_PARALLEL, false))
		return 1;
	return (int64_t)k->layout.tp * (k->layout.dp > 1 ? k->layout.dp : 1);
}

static struct outcome deployment_fact(const struct ss_kernel *k, enum ss_fact_id fact)
{
	const struct ss_basis *b = k->basis;
	const struct ss_model *model = b->in.model;
	const struct settings *s = &k->set;

	switch ((int)fact) {
	case SS_FACT_TP:
		return number(k->layout.tp);
	case SS_FACT_PP:
		return number((double)most(stated_count(k, SS_F_PP), 1));
	case SS_FACT_DP:
		return number(k->layout.dp);
	case SS_FACT_PCP:
		return number(k->layout.pcp);
	case SS_FACT_DCP:
		return number(k->layout.dcp);
	case SS_FACT_EP:
		return number(k->layout.ep);
	case SS_FACT_EXPERTS_SPLIT:
		return number((double)expert_shards(k));
	case SS_FACT_GPUS_PER_NODE:
		return count(stated_count(k, SS_F_GPUS_PER_NODE));
	case SS_FACT_SM:
		return count(s->sm);
	case SS_FACT_PART:
		return text(b->in.part->name);
	case SS_FACT_MODEL:
		return text(model->name);
	case SS_FACT_FAMILY:
		return *model->family ? text(model->family) : unknown();
	case SS_FACT_WINDOW:
		return count(s->window);
	case SS_FACT_EXPERTS:
		return number((double)b->experts);
	case SS_FACT_REDUNDANT:
		return number((double)s->redundant);
	case SS_FACT_ATTENTION:
		return text(attention_of(b));
	case SS_FACT_HAS_RECURRENT:
		return number(b->has_recurrent);
	case SS_FACT_HAS_WINDOW:
		return number(b->has_window);
	case SS_FACT_CHECKPOINT:
		return text(ss_dtype_name(checkpoint_format(model)));
	case SS_FACT_METHOD:
		return *model->quantization ? text(model->quantization) : unknown();
	case SS_FACT_SERVED:
		return text(served_as(k));
	case SS_FACT_GROUP_SIZE:
		return number(model->group_size > 0 ? (double)model->group_size : 128);
	case SS_FACT_BLOCK_ROWS:
		return count(model->weight_block[0]);
	case SS_FACT_BLOCK_COLUMNS:
		return count(model->weight_block[1]);
	case SS_FACT_CACHE_DTYPE:
		return text(s->cache_dtype);
	case SS_FACT_BLOCK_SIZE:
		return count(s->block_size);
	case SS_FACT_BUDGET:
		return number((double)s->max_batched_tokens);
	case SS_FACT_SEQS:
		return number((double)s->max_num_seqs);
	case SS_FACT_MODEL_LEN:
		return count(s->max_model_len);
	case SS_FACT_CHUNKED_PREFILL:
		return number(s->has_chunked_prefill);
	case SS_FACT_PREFIX_CACHING:
		return number(s->has_prefix_caching);
	case SS_FACT_STATE_MODE:
		return *s->state_mode ? text(s->state_mode) : unknown();
	case SS_FACT_DRAFTS:
		return number((double)s->spec_tokens);
	case SS_FACT_ALL2ALL:
		return text(s->all2all_run);
	case SS_FACT_SEQUENCE_PARALLEL:
		return number(k->layout.is_sequence_parallel_moe);
	case SS_FACT_ALIGNED_BLOCK:
		return count(k->pool.block_size);
	}
	return unknown();
}

/* -- a node ------------------------------------------------------------------------------------ */

/** Beginnings of the roles of projections that every rank holds whole. */
static const char *const whole_roles[] = { "qkv_a",   "q_a_",       "kv_a", "fused_wqa",
					   "index",   "compressor", "hc_",  "mtp_eh",
					   "kda_f_a", "kda_g_a",    "gate" };

static bool is_whole(const struct ss_node *node)
{
	for (size_t i = 0; i < sizeof(whole_roles) / sizeof(whole_roles[0]); i++)
		if (*node->role == *whole_roles[i] &&
		    strncmp(node->role, whole_roles[i], strlen(whole_roles[i])) == 0)
			return true;
	return false;
}

static const char *split_of(const struct question *q)
{
	if (q->k->layout.tp <= 1 || is_whole(q->node))
		return "none";
	return q->is_reduced ? "columns" : "rows";
}

/** Rows that a rank holds of the narrowest matrix merged in the node. */
static double part_rows(const struct question *q)
{
	const struct ss_node *n = q->node;
	double tp = q->k->layout.tp;

	if (strcmp(split_of(q), "rows") != 0)
		return (double)n->n;
	if (strcmp(n->role, "mlp_gate_up") == 0)
		return (double)n->n / 2 / tp;
	for (size_t i = 0; strcmp(n->role, "qkv_proj") == 0 && i < q->kind->node_count; i++) {
		const struct ss_node *a = &q->kind->nodes[i];

		/* KV heads fewer than ranks are held more than once */
		if (a->op == SS_OP_ATTENTION && !*a->role)
			return (double)a->d_h * fmax((double)a->n_kv / tp, 1);
	}
	return (double)n->n / tp;
}

static enum ss_dtype shared_format(const struct ss_kernel *k)
{
	return k->set.served_as != SS_DTYPE_UNSTATED ? k->set.served_as
						     : k->basis->in.model->weight_dtype;
}

static struct outcome node_fact(const struct question *q, enum ss_fact_id fact)
{
	const struct ss_node *n = q->node;
	const struct ss_kernel *k = q->k;
	int64_t shared = n->shared_intermediate_size > 0 ? n->shared_intermediate_size : n->n;

	switch ((int)fact) {
	case SS_FACT_LAYER:
		return text(q->kind->id);
	case SS_FACT_ROLE:
		return text(n->role);
	case SS_FACT_FORMAT:
		return text(ss_dtype_name(stored_format(k, n, false)));
	case SS_FACT_ROWS:
		return number((double)n->n);
	case SS_FACT_COLUMNS:
		return number((double)n->k);
	case SS_FACT_PARTS:
		return number(part_rows(q));
	case SS_FACT_SPLIT:
		return text(split_of(q));
	case SS_FACT_RANK_COLUMNS:
		return number((double)n->k /
			      (strcmp(split_of(q), "columns") == 0 ? k->layout.tp : 1));
	case SS_FACT_INNER:
		return number((double)n->n);
	case SS_FACT_SHARED:
		return number((double)n->shared_experts);
	case SS_FACT_SHARED_INNER:
		return number((double)(shared * most(n->shared_experts, 1)));
	case SS_FACT_SHARED_FORMAT:
		return text(ss_dtype_name(n->shared_weight_dtype != SS_DTYPE_UNSTATED
						  ? n->shared_weight_dtype
						  : shared_format(k)));
	case SS_FACT_SHARDS:
		return number((double)expert_shards(k));
	case SS_FACT_SHARED_SHARDS:
		return number(k->layout.is_sequence_parallel_moe ? 1 : k->layout.tp);
	case SS_FACT_KIND:
		return text(n->op == SS_OP_RECURRENT ? ss_recurrent_kind_name(n->recurrent)
						     : ss_attention_kind_name(n->attention));
	case SS_FACT_HEADS:
		return number((double)(n->op == SS_OP_RECURRENT ? n->n_heads : n->n_q));
	case SS_FACT_KV_HEADS:
		return number((double)n->n_kv);
	case SS_FACT_HEAD_WIDTH:
		return number((double)n->d_h);
	case SS_FACT_GROUPS:
		return count(n->n_groups);
	}
	return unknown();
}

/* -- values -------------------------------------------------------------------------------------
 */

static struct outcome stated_fact(const struct ss_kernel *k, enum ss_field_id id)
{
	const struct ss_value *v = stated(k, id);

	if (!v->is_stated)
		return unknown();
	if (v->is_auto)
		return text("auto");
	switch (ss_field(id)->type) {
	case SS_TYPE_INT:
	case SS_TYPE_INT_OR_AUTO:
	case SS_TYPE_BOOL:
		return number((double)v->integer);
	case SS_TYPE_FLOAT:
		return number(v->number);
	case SS_TYPE_CHOICE:
	case SS_TYPE_TEXT:
	case SS_TYPE_NAME:
		return text(ss_field(id)->list == SS_LIST_NONE ? v->text : stated_backend(k, id));
	case SS_TYPE_INT_LIST:
	case SS_TYPE_NAME_LIST:
	case SS_TYPE_TEXT_MAP:
	case SS_TYPE_TIERS:
		break;
	}
	return number((double)v->count);
}

static struct outcome environment_fact(const struct ss_kernel *k, const char *name)
{
	const struct ss_value *v = stated(k, SS_F_HOST_ENV);
	size_t length = strlen(name);

	for (size_t i = 0; v->is_stated && i < v->count; i++)
		if (strncmp(v->texts[i], name, length) == 0 && v->texts[i][length] == '=')
			return text(v->texts[i] + length + 1);
	return unknown();
}

static struct outcome value_of(const struct question *q, const struct ss_rule_value *v)
{
	switch ((int)v->fact) {
	case SS_FACT_NUMBER:
		return number(v->number);
	case SS_FACT_WORD:
		return text(v->text);
	case SS_FACT_STATED:
		return stated_fact(q->k, v->field);
	case SS_FACT_ENVIRONMENT:
		return environment_fact(q->k, v->text);
	default:
		return v->fact < SS_FACT_LAYER ? deployment_fact(q->k, v->fact)
					       : node_fact(q, v->fact);
	}
}

static double worked(double left, char operation, double right)
{
	switch (operation) {
	case '*':
		return left * right;
	case '/':
		return left / right;
	case '%':
		return fmod(left, right);
	case '+':
		return left + right;
	default:
		return left - right;
	}
}

static struct outcome side_of(const struct question *q, const struct ss_rule_side *side)
{
	struct outcome out = side->count ? value_of(q, &side->values[0]) : unknown();

	for (size_t i = 1; i < side->count; i++) {
		const struct ss_rule_value *v = &side->values[i];
		struct outcome next = value_of(q, v);

		if (out.kind != OUTCOME_NUMBER || next.kind != OUTCOME_NUMBER)
			return unknown();
		out.as.number = worked(out.as.number, v->operation, next.as.number);
		if (!isfinite(out.as.number))
			return unknown();
	}
	return out;
}

/* -- conditions -----------------------------------------------------------------------------------
 */

/** A number as it is written. */
static void write_number(char *out, size_t size, double value)
{
	(void)snprintf(out, size, "%.10g", value);
}

static bool is_alike(struct outcome a, struct outcome b)
{
	char own[32];

	if (a.kind == b.kind)
		return a.kind == OUTCOME_TEXT
			       ? strcmp(a.as.text, b.as.text) == 0
			       : !(a.as.number < b.as.number) && !(a.as.number > b.as.number);
	write_number(own, sizeof(own), a.kind == OUTCOME_TEXT ? b.as.number : a.as.number);
	return strcmp(own, a.kind == OUTCOME_TEXT ? a.as.text : b.as.text) == 0;
}

static bool is_listed(struct outcome a, const struct ss_rule_side *words)
{
	for (size_t i = 0; i < words->count; i++)
		if (is_alike(a, text(words->values[i].text)))
			return true;
	return false;
}

/** What is not known is unlike everything, in no list, and neither above nor below. */
static bool holds(const struct question *q, const struct ss_rule_condition *c)
{
	struct outcome a = side_of(q, &c->left), b;

	if (c->test == SS_TEST_IN || c->test == SS_TEST_NOT_IN)
		return (is_known(a) && is_listed(a, &c->right)) == (c->test == SS_TEST_IN);
	b = side_of(q, &c->right);
	if (c->test == SS_TEST_EQUAL || c->test == SS_TEST_UNLIKE)
		return (is_known(a) && is_known(b) && is_alike(a, b)) == (c->test == SS_TEST_EQUAL);
	if (a.kind != OUTCOME_NUMBER || b.kind != OUTCOME_NUMBER)
		return false;
	switch ((int)c->test) {
	case SS_TEST_BELOW:
		return a.as.number < b.as.number;
	case SS_TEST_AT_MOST:
		return a.as.number <= b.as.number;
	case SS_TEST_ABOVE:
		return a.as.number > b.as.number;
	default:
		return a.as.number >= b.as.number;
	}
}

/* -- texts
 * ------------------------------------------------------------------------------------------ */

static void write_text(const struct question *q, const struct ss_rule_text *t, char *out,
		       size_t size)
{
	size_t used = 0;

	out[0] = '\0';
	for (size_t i = 0; i < t->count; i++) {
		const struct ss_rule_piece *piece = &t->pieces[i];
		struct outcome value = side_of(q, &piece->side);
		char own[32] = "";
		const char *shown = value.kind == OUTCOME_TEXT ? value.as.text : own;
		int n;

		if (value.kind == OUTCOME_NUMBER)
			write_number(own, sizeof(own), value.as.number);
		else if (piece->side.count && !is_known(value))
			shown = "unstated";
		n = snprintf(out + used, size - used, "%s%s", piece->text, shown);
		if (n < 0 || (size_t)n >= size - used)
			return;
		used += (size_t)n;
	}
}

static void offer_fixes(const struct question *q, const struct ss_rule *rule)
{
	struct ss_problems *problems = q->k->problems;
	char value[200], path[200];

	if (!problems || !problems->count)
		return;
	for (size_t i = 0; i < rule->fix_count; i++) {
		const char *own = rule->fixes[i].path;
		enum ss_field_id id = ss_field_find(own, NULL);

		write_text(q, &rule->fixes[i].value, value, sizeof(value));
		if (ss_field(id)->owner == SS_OWNER_POOL && q->k->scenario->pool_count > 1)
			(void)snprintf(path, sizeof(path), "pools[%zu].%s", q->k->pool_index, own);
		else
			(void)snprintf(path, sizeof(path), "%s", own);
		ss_problems_add_fix(problems, problems->count - 1, path, value, "");
	}
}

/* -- rules
 * -------------------------------------------------------------------------------------------- */

static bool hold(const struct question *q, const struct ss_rule *rule, size_t first, size_t end)
{
	while (first < end && holds(q, &rule->conditions[first]))
		first++;
	return first >= end;
}

/** Of a deployment that meets the rule's own conditions of it. */
static bool ask(const struct question *q, const struct ss_rule *rule)
{
	char reason[600];

	if (!hold(q, rule, rule->deployment_count, rule->condition_count))
		return false;
	/* wording is for lists somebody reads */
	reason[0] = '\0';
	if (q->k->problems)
		write_text(q, &rule->reason, reason, sizeof(reason));
	if (rule->is_warning) {
		warn(q->k, rule->field, "%s", reason);
		return true;
	}
	refuse(q->k, rule->code, rule->field, "%s", reason);
	offer_fixes(q, rule);
	return true;
}

static bool is_asked(const struct ss_node *node, enum ss_rule_scope scope)
{
	switch ((int)scope) {
	case SS_RULE_LINEAR:
		return node->op == SS_OP_GEMM;
	case SS_RULE_EXPERTS:
		return node->op == SS_OP_GROUPED_GEMM && node->experts > 1;
	case SS_RULE_ATTENTION:
		return node->op == SS_OP_ATTENTION && !*node->role;
	case SS_RULE_RECURRENT:
		return node->op == SS_OP_RECURRENT;
	default:
		return false;
	}
}

/** Nodes alike fail alike: the first says it. */
static void ask_nodes(struct ss_kernel *k, const struct ss_rule *rule)
{
	const struct ss_model *model = k->basis->in.model;

	for (size_t i = 0; i < model->kind_count; i++) {
		const struct ss_layer_kind *kind = &model->kinds[i];

		for (size_t j = 0; (kind->count || kind->draft_count) && j < kind->node_count;
		     j++) {
			struct question q = { .k = k, .kind = kind, .node = &kind->nodes[j] };

			if (!is_asked(q.node, rule->scope))
				continue;
			q.is_reduced = j + 1 < kind->node_count &&
				       (kind->nodes[j + 1].op == SS_OP_ALL_REDUCE ||
					kind->nodes[j + 1].op == SS_OP_REDUCE_SCATTER);
			if (ask(&q, rule))
				return;
		}
	}
}

static bool has_own(const struct ss_pack *pack, const char *name)
{
	for (size_t i = 0; i < pack->rule_count; i++)
		if (strcmp(pack->rules[i].name, name) == 0)
			return true;
	return false;
}

void release_rules_check(struct ss_kernel *k, bool has_pool)
{
	const struct ss_pack *pack = k->basis->in.pack;

	for (const struct ss_pack *p = pack; p; p = p->rules_pack)
		for (size_t i = 0; i < p->rule_count; i++) {
			const struct ss_rule *rule = &p->rules[i];
			struct question q = { .k = k };

			if ((rule->scope == SS_RULE_POOL) != has_pool ||
			    !hold(&q, rule, 0, rule->deployment_count) ||
			    (p != pack && has_own(pack, rule->name)))
				continue;
			if (rule->scope >= SS_RULE_LINEAR)
				ask_nodes(k, rule);
			else
				(void)ask(&q, rule);
		}
}
