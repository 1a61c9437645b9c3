/* stepscope-registry(5): where documents lie, what each kind holds, how to add one. */
#include <string.h>

#include "cli/topics.h"
#include "stepscope/runs.h"
#include "stepscope/vocabulary.h"

static const struct {
	const char *folder, *schema, *text;
} kinds[] = {
	{ "models/NAME.json", "model-graph",
	  "A model as the engine runs it: layer kinds with their nodes (op, role, widths), a "
	  "stack of them, global widths and formats, and its speculator. `stepscope import "
	  "config.json` makes one." },
	{ "hardware/PART.json", "hardware",
	  "A GPU: memory and its bandwidth, peaks by format, links, SMs, compute capability, "
	  "each figure with its source." },
	{ "networks/FABRIC.json", "network", "A fabric between nodes: GB/s a GPU." },
	{ "model-names.json", "model-names",
	  "Names that repositories give a model and the graph of its shape: ends of a name that "
	  "say a format, words that change no width, names with the reason. Rows of several "
	  "registries are joined." },
	{ "storage.json", "storage", "Tiers that a KV cache is offloaded to." },
	{ "coefficients/SET.json", "coefficient-set",
	  "Values of laws: name, value, units, method, scope and sources. An entry without a "
	  "scope dimension is admitted everywhere; of two that apply, the one of the model goes "
	  "first, then the later set of the scenario." },
	{ "engines/PACK.json", "engine-pack",
	  "What a release of the engine does: defaults, lists of backends, rules with reasons." },
	{ "workloads/NAME.json", "workload", "A batch or a load that scenarios share." },
	{ "validation/serving.csv", "",
	  "Published serving runs that `stepscope score` sets the price against." },
};

static const char *op_name(int i)
{
	return ss_op_name((enum ss_op)i);
}

static const char *dtype_name(int i)
{
	return ss_dtype_name((enum ss_dtype)i);
}

static const char *attention_name(int i)
{
	return ss_attention_kind_name((enum ss_attention_kind)i);
}

static const char *recurrent_name(int i)
{
	return ss_recurrent_kind_name((enum ss_recurrent_kind)i);
}

static const char *method_name(int i)
{
	return ss_method_name((enum ss_method)i);
}

static const char *unit_name(int i)
{
	return ss_unit_name((enum ss_unit)i);
}

static void put_words(struct manual_page *page, const char *title, int count,
		      const char *(*name)(int))
{
	struct xbuf words = { 0 };

	for (int i = 0; i < count; i++) {
		const char *word = name(i);

		if (*word)
			xbuf_printf(&words, "%s%s", words.len ? ", " : "", word);
	}
	xbuf_putc(&words, '.');
	page_item(page, title, "", xbuf_text(&words));
	xbuf_release(&words);
}

static const char new_model[] =
	"$ stepscope import config.json -o mine           # or write one by hand\n"
	"$ stepscope validate mine/models/my-model.json\n"
	"$ mkdir -p ~/.local/share/stepscope/registry/models\n"
	"$ cp mine/models/my-model.json ~/.local/share/stepscope/registry/models/\n"
	"$ stepscope price --model my-model --part h100 -tp 2\n";

static const char new_entry[] =
	"{\n"
	"  \"name\": \"hbm_derate\",\n"
	"  \"value\": 0.91,\n"
	"  \"units\": \"dimensionless\",\n"
	"  \"method\": \"measured\",\n"
	"  \"scope\": { \"hardware\": [\"h100\"] },\n"
	"  \"sources\": [{ \"kind\": \"measurement\", \"cite\": \"who, when, "
	"how\", \"role\": \"value\" }]\n"
	"}\n";

void topic_registry(struct manual_page *page)
{
	page_heading(page, "Description");
	page_paragraph(page, "All that is known of models, GPUs and the engine lies in JSON "
			     "documents; no model and no part is named in the program. "
			     "`stepscope validate FILE` reads any of them and names every problem "
			     "by its place; JSON Schemas are installed beside the data.");
	page_heading(page, "Where they are looked for");
	page_paragraph(page, "In this order; the first folder that has a document gives it:");
	page_item(page, "--registry DIR", "", "");
	page_item(page, "$STEPSCOPE_REGISTRY", "", "");
	page_item(page, "registry", "", "of the source tree that the program is run in.");
	page_item(page, "$XDG_DATA_HOME/stepscope/registry", "",
		  "or `~/.local/share/stepscope/registry`.");
	page_item(page, "share/stepscope/registry", "",
		  "beside the program's folder, and as it was installed.");
	page_heading(page, "Kinds");
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		page_item(page, kinds[i].folder, kinds[i].schema, kinds[i].text);
	}
	page_heading(page, "Words");
	put_words(page, "op", SS_OP_COUNT, op_name);
	put_words(page, "attention kind", SS_ATTENTION_COUNT, attention_name);
	put_words(page, "recurrent kind", SS_RECURRENT_COUNT, recurrent_name);
	put_words(page, "dtype", SS_DTYPE_COUNT, dtype_name);
	put_words(page, "method", SS_METHOD_COUNT, method_name);
	put_words(page, "units", SS_UNIT_COUNT, unit_name);
	page_heading(page, "To add a model");
	page_lines(page, new_model);
	page_heading(page, "To add a value");
	page_paragraph(page, "Write it into a set of your own, name the set in the scenario's "
			     "`coefficients`, and say how it was found: what is not known is "
			     "assumed, and counts as that.");
	page_lines(page, new_entry);
	page_paragraph(page,
		       "To see what a value would do before writing it: `--coef NAME=VALUE`.");
	page_heading(page, "Published runs");
	page_paragraph(
		page,
		"`stepscope score FILE.csv` takes a table with a heading and a row a run; columns "
		"in any order, in quotes where they hold commas. It wants model, part, the "
		"requests at once, tokens in and out, and what was measured. A column may also "
		"be any setting by its name (tp, cache_dtype, max_num_batched_tokens); an empty "
		"cell leaves it unstated. Others are named and not read.");
	for (int c = 0; c < SS_RUN_COLUMN_COUNT; c++)
		page_item(page, ss_run_column_name((enum ss_run_column)c), "",
			  ss_run_column_what((enum ss_run_column)c));
	page_heading(page, "See also");
	page_paragraph(page, "`stepscope`(1), `stepscope-laws`(7)");
}
