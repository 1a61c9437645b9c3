/* `engine admit`: a request on the command line, and every candidate's verdict. */
#include <cjson/cJSON.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "stepscope/nearest.h"
#include "text/words.h"
#include "text/xbuf.h"
#include "cli/engine_args.h"
#include "cli/engine_words.h"

/* A request as stated, with what its settings and lists point at. */
struct asked {
	struct ss_route_request request;
	struct ss_settings settings;
	const char *stage;
	const char *codec;
	const char *pairs[ENGINE_WORDS_MAX]; /* PATH=VALUE and NAME=VALUE */
	bool is_path[ENGINE_WORDS_MAX];      /* of the pairs, which are settings */
	size_t pair_count;
	const char *disabled[ENGINE_WORDS_MAX];
	const char *unavailable[ENGINE_WORDS_MAX];
	const char *absent[ENGINE_WORDS_MAX];
};

/* clang-format off */
static const struct {
	const char *name;
	size_t at;
} numbers[] = {
#define X(name, argument, member, help) { name, offsetof(struct ss_route_request, member) },
	ADMIT_NUMBER_LIST(X)
#undef X
};
static const struct {
	const char *name;
	size_t at;
} flags[] = {
#define X(name, member, help) { name, offsetof(struct ss_route_request, member) },
	ADMIT_FLAG_LIST(X)
#undef X
};
/* clang-format on */

static const char *find_pair(const struct asked *asked, const char *name)
{
	size_t n = strlen(name);

	for (size_t i = asked->pair_count; i > 0; i--)
		if (strncmp(asked->pairs[i - 1], name, n) == 0 && asked->pairs[i - 1][n] == '=')
			return asked->pairs[i - 1] + n + 1;
	return NULL;
}

static const char *stated(const void *context, const char *name)
{
	return find_pair(context, name);
}

static bool count_word(const char *text, int64_t *out)
{
	return read_count(text, INT64_MAX / 1024, out);
}

static int take_heads(struct engine_run *run, const char *value, struct ss_route_request *request)
{
	const char *slash = strchr(value, '/');
	char left[24];

	if (slash && (size_t)(slash - value) < sizeof(left)) {
		snprintf(left, sizeof(left), "%.*s", (int)(slash - value), value);
		if (count_word(left, &request->query_heads) &&
		    count_word(slash + 1, &request->kv_heads) && request->query_heads > 0 &&
		    request->kv_heads > 0)
			return EXIT_FINE;
	}
	return engine_usage(run, "--heads must be Q/KV, each from 1, as 24/4, got `%s`", value);
}

/* Paths are also taken as deployment fields spell them, with `sm70.` in front. */
static int take_setting(struct engine_run *run, const char *value, struct asked *asked,
			bool is_path)
{
	static const char prefix[] = "sm70.";

	if (is_path && strncmp(value, prefix, sizeof(prefix) - 1) == 0)
		value += sizeof(prefix) - 1;
	if (!strchr(value, '='))
		return engine_usage(run, "%s must be %s=VALUE, got `%s`",
				    is_path ? "--option" : "--env", is_path ? "PATH" : "NAME",
				    value);
	if (asked->pair_count == ENGINE_WORDS_MAX)
		return engine_usage(run, "too many settings");
	asked->is_path[asked->pair_count] = is_path;
	asked->pairs[asked->pair_count++] = value;
	return EXIT_FINE;
}

/* The arrays are as long as there can be words. */
static void take_name(const char **names, struct ss_names *list, const char *value)
{
	names[list->count++] = value;
	list->items = names;
}

static int take_text(struct engine_run *run, const char *name, const char *value,
		     struct asked *asked)
{
	struct ss_route_request *q = &asked->request;

	if (strcmp(name, "--stage") == 0)
		asked->stage = value;
	else if (strcmp(name, "--codec") == 0)
		asked->codec = value;
	else if (strcmp(name, "--backend") == 0)
		q->backend = value;
	else if (strcmp(name, "--heads") == 0)
		return take_heads(run, value, q);
	else if (strcmp(name, "--option") == 0)
		return take_setting(run, value, asked, true);
	else if (strcmp(name, "--env") == 0)
		return take_setting(run, value, asked, false);
	else if (strcmp(name, "--disable") == 0)
		take_name(asked->disabled, &q->disabled, value);
	else if (strcmp(name, "--unavailable") == 0)
		take_name(asked->unavailable, &q->unavailable, value);
	else if (strcmp(name, "--absent") == 0)
		take_name(asked->absent, &q->absent_native, value);
	else
		return engine_usage(run, "unknown option `%s`", name);
	return EXIT_FINE;
}

static bool take_flag(const char *word, struct ss_route_request *request)
{
	for (size_t i = 0; i < sizeof(flags) / sizeof(flags[0]); i++) {
		if (strcmp(flags[i].name, word) != 0)
			continue;
		*(bool *)((char *)request + flags[i].at) = true;
		return true;
	}
	return false;
}

static int take_valued(struct engine_run *run, const char *name, const char *value,
		       struct asked *asked)
{
	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
		if (strcmp(numbers[i].name, name) != 0)
			continue;
		if (!count_word(value,
				(int64_t *)(void *)((char *)&asked->request + numbers[i].at)))
			return engine_usage(run, "%s must be a whole number from 0, got `%s`", name,
					    value);
		return EXIT_FINE;
	}
	return take_text(run, name, value, asked);
}

static int take_request(struct engine_run *run, struct asked *asked)
{
	for (size_t i = 0; i < run->word_count; i++) {
		const char *word = run->words[i];
		const char *equals = strchr(word, '=');
		char name[64];
		int status;

		if (strncmp(word, "--", 2) != 0)
			return engine_usage(run, "admit takes options only, found `%s`", word);
		if (take_flag(word, &asked->request))
			continue;
		if (!equals && i + 1 == run->word_count)
			return engine_usage(run, "%s is unknown or needs a value", word);
		snprintf(name, sizeof(name), "%.*s",
			 equals ? (int)(equals - word) : (int)strlen(word), word);
		status = take_valued(run, name, equals ? equals + 1 : run->words[++i], asked);
		if (status)
			return status;
	}
	return EXIT_FINE;
}

static int check_settings(struct engine_run *run, const struct asked *asked)
{
	for (size_t i = 0; run->reference->has_fields && i < asked->pair_count; i++) {
		const char *sign = strchr(asked->pairs[i], '=');
		const struct ss_config_field *field;
		struct ss_error err = { 0 };
		char path[256];

		snprintf(path, sizeof(path), "%.*s", (int)(sign - asked->pairs[i]),
			 asked->pairs[i]);
		if (!asked->is_path[i])
			continue;
		field = ss_reference_field(run->reference, path);
		if (!field)
			return engine_usage(run, "no field `%s` in the reference", path);
		if (ss_config_field_check(field, sign + 1, &err))
			return engine_usage(run, "%s: %s", path, err.message);
	}
	return EXIT_FINE;
}

/* A route that policy or the build lacks must be one that is declared. */
static int check_routes(struct engine_run *run, const char *option, const struct ss_names *names)
{
	const struct ss_reference *r = run->reference;
	const char **known = xcalloc(r->route_count + 1, sizeof(*known));
	int status = EXIT_FINE;

	for (size_t i = 0; i < r->route_count; i++)
		known[i] = r->routes[i].name;
	for (size_t i = 0; i < names->count && !status; i++) {
		const char *near;

		if (ss_reference_route(r, names->items[i]))
			continue;
		near = ss_closest_word(names->items[i], known, r->route_count);
		status = engine_usage(run, "%s: no route `%s` in the reference%s%s%s", option,
				      names->items[i], near ? "; did you mean `" : "",
				      near ? near : "", near ? "`?" : "");
	}
	free(known);
	return status;
}

static int fill_request(struct engine_run *run, struct asked *asked)
{
	struct ss_route_request *q = &asked->request;
	int status = take_request(run, asked);

	if (status)
		return status;
	if (!asked->stage)
		return engine_usage(run, "admit needs --stage");
	if (!ss_route_stage_find(asked->stage, &q->stage))
		return engine_usage(run,
				    "--stage must be decode, mixed_decode, verify, prefill, "
				    "metadata or any, got `%s`",
				    asked->stage);
	status = engine_load_pack(run, &run->reference);
	if (!status)
		status = check_settings(run, asked);
	if (!status)
		status = check_routes(run, "--disable", &q->disabled);
	if (!status)
		status = check_routes(run, "--unavailable", &q->unavailable);
	if (status)
		return status;
	q->codec = asked->codec ? ss_codec_by_symbol(run->reference, asked->codec) : NULL;
	if (!q->codec)
		q->codec = ss_codec_resolve(run->reference, asked->codec);
	asked->settings = (struct ss_settings){ stated, stated, asked };
	q->settings = &asked->settings;
	return EXIT_FINE;
}

static const char *outcome_word(enum ss_route_outcome outcome)
{
	switch (outcome) {
	case SS_ROUTE_CHOSEN:
		return "taken";
	case SS_ROUTE_REFUSED:
		return "no";
	case SS_ROUTE_LATER:
		return "later";
	case SS_ROUTE_RECORDED:
		return "record";
	case SS_ROUTE_MAY_RUN:
		return "may run";
	case SS_ROUTE_RAISES:
		return "raises";
	}
	return "";
}

static const char *confidence_word(const struct ss_route_verdict *v)
{
	return v->candidate->is_inferred ? "inferred" : "read";
}

static cJSON *name_json(const struct ss_route_verdict *v)
{
	return v ? cJSON_CreateString(v->candidate->name) : cJSON_CreateNull();
}

static cJSON *verdict_json(const struct ss_route_verdict *v)
{
	cJSON *object = cJSON_CreateObject();
	cJSON *needs;

	cJSON_AddStringToObject(object, "confidence", confidence_word(v));
	cJSON_AddStringToObject(object, "name", v->candidate->name);
	needs = cJSON_AddArrayToObject(object, "needs");
	for (size_t i = 0; i < v->need_count; i++)
		cJSON_AddItemToArray(needs, cJSON_CreateString(v->needs[i].text));
	cJSON_AddStringToObject(object, "outcome", outcome_word(v->outcome));
	cJSON_AddStringToObject(object, "reason", v->reason);
	cJSON_AddStringToObject(object, "walk", v->walk->title);
	return object;
}

static cJSON *next_json(const struct ss_route_verdict *v)
{
	cJSON *object;
	cJSON *needs;

	if (!v)
		return cJSON_CreateNull();
	object = cJSON_CreateObject();
	cJSON_AddStringToObject(object, "name", v->candidate->name);
	needs = cJSON_AddArrayToObject(object, "needs");
	for (size_t i = 0; i < v->need_count; i++)
		cJSON_AddItemToArray(needs, cJSON_CreateString(v->needs[i].text));
	return object;
}

/* A prefill longer in KV than in its chunk has one, stated or not. */
static bool has_prefix(const struct ss_route_request *q)
{
	return q->prefix_len > 0 || (q->stage == SS_STAGE_PREFILL && q->kv_len > q->chunk);
}

static cJSON *selection_json(const struct asked *asked, const struct ss_route_selection *s)
{
	cJSON *root = cJSON_CreateObject();
	cJSON *list = cJSON_AddArrayToObject(root, "candidates");

	for (size_t i = 0; i < s->verdict_count; i++)
		cJSON_AddItemToArray(list, verdict_json(&s->verdicts[i]));
	cJSON_AddBoolToObject(root, "capturing", asked->request.is_capturing);
	if (s->winner)
		cJSON_AddStringToObject(root, "confidence", confidence_word(s->winner));
	else
		cJSON_AddNullToObject(root, "confidence");
	cJSON_AddNumberToObject(root, "format", 1);
	cJSON_AddItemToObject(root, "inner", name_json(s->inner));
	cJSON_AddStringToObject(root, "message", s->message);
	cJSON_AddItemToObject(root, "next_better", next_json(s->next_better));
	cJSON_AddBoolToObject(root, "prefix", has_prefix(&asked->request));
	cJSON_AddStringToObject(root, "stage", ss_route_stage_name(s->stage));
	cJSON_AddItemToObject(root, "winner", name_json(s->winner));
	return root;
}

static void print_request(struct engine_run *run, const struct asked *asked)
{
	const struct ss_route_request *q = &asked->request;

	fprintf(run->out,
		"%s, codec %s, heads %" PRId64 "/%" PRId64 " (gqa %" PRId64 ") of %" PRId64
		", page %" PRId64 ", chunk %" PRId64 "\n",
		ss_route_stage_name(q->stage), q->codec ? q->codec->symbol : "none", q->query_heads,
		q->kv_heads, ss_route_gqa(q), q->head_dim, q->page_size, q->chunk);
}

static void print_selection(struct engine_run *run, const struct asked *asked,
			    const struct ss_route_selection *s)
{
	const struct ss_route_walk *walk = NULL;
	const char *age = run->reference->order.age_note;

	print_request(run, asked);
	for (size_t i = 0; i < s->verdict_count; i++) {
		const struct ss_route_verdict *v = &s->verdicts[i];

		if (v->walk != walk)
			fprintf(run->out, "%s\n", v->walk->title);
		walk = v->walk;
		fprintf(run->out, "%s %-50s %-8s %-9s %s\n",
			v == s->winner || v == s->inner || v == s->beside ? " >" : "  ",
			v->candidate->name, outcome_word(v->outcome), confidence_word(v),
			v->reason);
	}
	fprintf(run->out, "result: %s\n", s->message);
	if (s->next_better) {
		fprintf(run->out, "next better: %s needs", s->next_better->candidate->name);
		for (size_t i = 0; i < s->next_better->need_count; i++)
			fprintf(run->out, "%s %s", i ? ";" : "", s->next_better->needs[i].text);
		fputc('\n', run->out);
	}
	if (age)
		fprintf(run->out, "%s\n", age);
}

/* A reference without an order can still say what each route's shape admits. */
static int admit_shapes(struct engine_run *run, const struct asked *asked)
{
	const struct ss_reference *r = run->reference;
	const struct ss_route_request *q = &asked->request;
	cJSON *root = cJSON_CreateObject();
	cJSON *list = cJSON_AddArrayToObject(root, "candidates");
	bool is_admitted = false;

	if (!run->is_json)
		print_request(run, asked);
	for (size_t i = 0; i < r->route_count; i++) {
		char detail[256] = "";
		const char *reason = ss_route_admit(r, &r->routes[i], q, detail, sizeof(detail));
		cJSON *item = cJSON_CreateObject();

		is_admitted |= !reason;
		cJSON_AddStringToObject(item, "name", r->routes[i].name);
		cJSON_AddStringToObject(item, "reason", reason ? reason : "admitted");
		cJSON_AddItemToArray(list, item);
		if (!run->is_json)
			fprintf(run->out, "   %-50s %s%s%s\n", r->routes[i].name,
				reason ? reason : "admitted", reason ? ": " : "", detail);
	}
	cJSON_AddNumberToObject(root, "format", 1);
	if (run->is_json) {
		int status = engine_print_json(run, root);

		return status ? status : is_admitted ? EXIT_FINE : EXIT_REFUSED;
	}
	cJSON_Delete(root);
	return is_admitted ? EXIT_FINE : EXIT_REFUSED;
}

int engine_admit(struct engine_run *run)
{
	struct asked asked = { 0 };
	struct ss_route_selection s;
	struct ss_error err = { 0 };
	bool is_fine;
	int status = fill_request(run, &asked);

	if (status)
		return status;
	if (!run->reference->has_order)
		return admit_shapes(run, &asked);
	if (ss_route_select(&s, run->reference, &asked.request, &err)) {
		fprintf(run->err, "stepscope engine: %s\n", err.message);
		return EXIT_SYSTEM;
	}
	if (run->is_json)
		status = engine_print_json(run, selection_json(&asked, &s));
	else
		print_selection(run, &asked, &s);
	is_fine = s.result == SS_RESULT_CHOSEN || s.result == SS_RESULT_RECORDS;
	if (!status && !is_fine) {
		fprintf(run->err, "stepscope engine: %s\n", s.message);
		status = EXIT_REFUSED;
	}
	ss_route_selection_release(&s);
	return status;
}
