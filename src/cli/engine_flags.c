#include "cli/engine_flags.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "text/shown.h"
#include "text/xbuf.h"
#include "import/import_vllm.h"
#include "import/vllm_flags.h"
#include "import/shell_words.h"
#include "stepscope/fields.h"

bool engine_flag_find(struct engine_flag *out, const char *word)
{
	const char *dashes = word + strspn(word, "-");
	size_t len = strcspn(dashes, "=");
	struct vllm_flag flag;
	char name[128], nearest[64];
	const char *full;
	bool is_negated = false;

	if (len >= sizeof(name))
		return false;
	memcpy(name, dashes, len);
	name[len] = '\0';
	full = vllm_short_option(name);
	if (!vllm_flag_find(&flag, &is_negated, full ? full : name, nearest, sizeof(nearest)) ||
	    (is_negated && dashes[len]))
		return false;
	*out = (struct engine_flag){ .attached = dashes[len] ? dashes + len + 1 : NULL };
	if (flag.effect == VLLM_FIELD)
		out->path = ss_field(flag.field)->path;
	if (flag.arity == VLLM_SWITCH && !out->attached)
		out->value = is_negated ? "false" : "true";
	return true;
}

void engine_flag_line(struct xbuf *out, const char *word, const char *value)
{
	xbuf_add(out, word, strcspn(word, "="));
	if (!*value)
		return;
	xbuf_puts(out, "='");
	for (; *value; value++) {
		if (*value == '\'')
			xbuf_puts(out, "'\\'");
		xbuf_putc(out, *value);
	}
	xbuf_putc(out, '\'');
}

/* -- pasted lines --------------------------------------------------------------------- */

/** A name for what the importer asks of a whole command and a line of flags lacks. */
#define ANY "any"

/** The settings that the importer took, in the order of the flags. */
static void take_rows(struct arguments *arguments, const struct import_rows *rows)
{
	for (size_t i = 0; i < rows->count; i++) {
		const struct import_row *row = &rows->items[i];
		const char *equals = strchr(row->detail, '=');
		struct xbuf path = { 0 };

		if (row->flag[0] != '-')
			continue;
		if (row->fate == IMPORT_TAKEN && equals) {
			xbuf_add(&path, row->detail, (size_t)(equals - row->detail));
			arguments_add_setting(arguments, path.data, equals + 1);
			xbuf_release(&path);
		} else if (row->fate != IMPORT_TAKEN && !arguments->is_quiet) {
			say("args: %s is ignored: %s", row->flag,
			    *row->detail ? row->detail : "nothing that is priced reads it");
		}
	}
}

/** What stands behind the end of a command is no flag of it, and is not dropped unsaid. */
static enum ss_status check_whole(const char *text, struct ss_error *err)
{
	struct shell_words words = { 0 };
	bool has_ended = false;
	enum ss_status rc = shell_words_split(&words, text, strlen(text), NULL, err);

	for (size_t i = 0; !rc && i < words.count; i++) {
		has_ended |= words.items[i].kind == SHELL_END;
		if (has_ended && words.items[i].kind == SHELL_WORD)
			rc = ss_fail(err, SS_EUSAGE, "args",
				     "`%s` stands behind the end of the command; give the flags of "
				     "one, quoted or on one line",
				     words.items[i].text);
	}
	shell_words_release(&words);
	return rc == SS_ENOMEM ? rc : rc ? SS_EUSAGE : SS_OK;
}

enum ss_status engine_flags_paste(struct arguments *arguments, const char *text,
				  struct ss_error *err)
{
	static const char *const models[] = { ANY };
	const struct vllm_import_options options = {
		.file = "args",
		.is_strict = true,
		.part = ANY,
		.fabric = ANY,
		.engine_version = ANY,
		.name = ANY,
		.gpus_per_node = 1024,
		.models = models,
		.model_count = 1,
		.coefficients = models,
		.coefficient_count = 1,
	};
	struct ss_scenario *scenario = NULL;
	struct import_rows rows = { 0 };
	struct ss_problems problems = { 0 };
	struct xbuf line = { 0 };
	enum ss_status rc;

	while (isspace((unsigned char)*text))
		text++;
	if (*text && *text != '-')
		return ss_fail(err, SS_EUSAGE, "args",
			       "takes flags alone; `stepscope import` reads whole commands");
	rc = check_whole(text, err);
	if (rc)
		return rc;
	xbuf_printf(&line, "vllm serve %s %s", ANY, text);
	rc = vllm_import(&scenario, &rows, xbuf_text(&line), line.len, &options, &problems);
	if (rc == SS_ENOMEM)
		out_of_memory();
	if (!rc)
		take_rows(arguments, &rows);
	for (size_t i = 0; rc && i < problems.count; i++) {
		if (problems.items[i].severity == SS_WARNING)
			continue;
		rc = ss_fail(err, SS_EUSAGE, "args", "%s", problems.items[i].message);
		break;
	}
	ss_scenario_free(scenario);
	import_rows_release(&rows);
	ss_problems_release(&problems);
	xbuf_release(&line);
	return rc;
}
