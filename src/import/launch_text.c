/* What shape a text has, and where in it the commands stand. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "import/launches.h"

static enum ss_status no_memory(struct ss_error *err)
{
	return ss_fail(err, SS_ENOMEM, "", "out of memory");
}

/** A line of the text, its end not counted. */
struct line {
	const char *text;
	size_t length, number;
};

/** The line after `line`; the first for one that is `{ 0 }`. False at the end. */
static bool next_line(struct line *line, const char *text, size_t length)
{
	const char *end = text + length, *newline;

	line->text = line->text ? line->text + line->length + 1 : text;
	if (line->text >= end)
		return false;
	newline = memchr(line->text, '\n', (size_t)(end - line->text));
	line->length = (size_t)((newline ? newline : end) - line->text);
	line->number++;
	return true;
}

static size_t blanks(const char *text, size_t length)
{
	size_t n = 0;

	while (n < length && (text[n] == ' ' || text[n] == '\t'))
		n++;
	return n;
}

static bool starts(const struct line *line, size_t at, const char *word)
{
	size_t n = strlen(word);

	return line->length >= at + n && !memcmp(line->text + at, word, n);
}

static bool holds(const char *text, size_t length, const char *word)
{
	size_t n = strlen(word);
	const char *at = text, *end = text + length;

	while (at && (size_t)(end - at) >= n) {
		at = memchr(at, word[0], (size_t)(end - at) - n + 1);
		if (at && !memcmp(at, word, n))
			return true;
		at = at ? at + 1 : NULL;
	}
	return false;
}

/** Could this text start the engine? */
static bool holds_launch(const char *text, size_t length)
{
	return holds(text, length, "vllm");
}

/* -- Markdown -------------------------------------------------------------------------- */

/** ``` or ~~~ of a fence, behind what a list or a quotation puts before it; 0 for none. */
static size_t fence_length(const struct line *line, size_t *prefix)
{
	size_t at = 0, n = 0;

	while (at < line->length && strchr(" \t>", line->text[at]))
		at++;
	/* A list's first line may open one. */
	if (at + 1 < line->length && strchr("-*+", line->text[at]) && line->text[at + 1] == ' ')
		at += 2 + blanks(line->text + at + 2, line->length - at - 2);
	if (at < line->length && (line->text[at] == '`' || line->text[at] == '~'))
		while (at + n < line->length && line->text[at + n] == line->text[at])
			n++;
	*prefix = at;
	return n >= 3 ? n : 0;
}

/** A block's language: what may hold a command? */
static bool is_command_language(const char *name, size_t length)
{
	static const char *const others[] = { "python", "py",   "pycon",   "json", "text",
					      "log",    "diff", "html",    "c",    "cpp",
					      "sql",    "rust", "mermaid", "js",   "javascript",
					      "toml",   "xml" };

	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
		if (strlen(others[i]) == length && !strncasecmp(others[i], name, length))
			return false;
	}
	return true;
}

static enum ss_status read_part(struct launches *out, const char *text, size_t length, size_t line,
				struct ss_error *err);

/** Every fenced block, its lines less what stands before the fence. */
static enum ss_status read_fences(struct launches *out, const char *text, size_t length,
				  bool *is_found, struct ss_error *err)
{
	struct line line = { 0 };
	struct ss_error first = { 0 };
	enum ss_status rc = SS_OK, one;
	char *block = malloc(length + 1);
	size_t used = 0, start = 0, fence = 0, prefix = 0, at;
	bool is_read = false;

	if (!block)
		return no_memory(err);
	while (!rc && next_line(&line, text, length)) {
		size_t n = fence_length(&line, &at);

		if (!fence && n) {
			const char *name = line.text + at + n;
			size_t left = line.length - at - n, skip = blanks(name, left), end = skip;

			while (end < left && !strchr(" \t\r{:,", name[end]))
				end++;
			/* ```code``` on one line opens nothing */
			if (memchr(name, '`', left))
				continue;
			is_read = is_command_language(name + skip, end - skip);
			fence = n;
			prefix = at;
			used = 0;
			start = line.number + 1;
			*is_found = true;
		} else if (fence && n >= fence &&
			   blanks(line.text + at + n, line.length - at - n) +
					   (line.text[line.length - 1] == '\r') ==
				   line.length - at - n) {
			fence = 0;
			one = is_read ? read_part(out, block, used, start, &first) : SS_OK;
			if (one == SS_ENOMEM)
				rc = one;
			if (one && !*err->message)
				*err = first;
		} else if (fence) {
			size_t cut = 0;

			while (cut < prefix && cut < line.length &&
			       strchr(" \t>-*+", line.text[cut]))
				cut++;
			memcpy(block + used, line.text + cut, line.length - cut);
			used += line.length - cut;
			block[used++] = '\n';
		}
	}
	if (!rc && fence && is_read)
		rc = read_part(out, block, used, start, err);
	free(block);
	return rc;
}

/* -- systemd --------------------------------------------------------------------------- */

static bool is_unit(const char *text, size_t length)
{
	struct line line = { 0 };
	bool has_section = false;

	while (next_line(&line, text, length)) {
		has_section |= starts(&line, 0, "[Service]") || starts(&line, 0, "[Container]");
		if (has_section && (starts(&line, 0, "ExecStart") || starts(&line, 0, "Exec=") ||
				    starts(&line, 0, "Image=")))
			return true;
	}
	return false;
}

/** `Environment="A=b" C=d`: as a shell exports them; `ExecStart=-/bin/x`: the command. */
static enum ss_status read_unit(struct launches *out, const char *text, size_t length,
				struct ss_error *err)
{
	struct line line = { 0 };
	char *script = NULL;
	size_t size = 0;
	FILE *f = open_memstream(&script, &size);
	bool is_continued = false, is_image = false;
	enum ss_status rc;

	if (!f)
		return no_memory(err);
	while (next_line(&line, text, length)) {
		static const char exec[] = "ExecStart=", environment[] = "Environment=";
		const char *from = line.text;
		size_t n = line.length;

		if (is_continued) {
			is_continued = n && from[n - 1] == '\\';
		} else if (starts(&line, 0, exec)) {
			from += sizeof(exec) - 1;
			n -= sizeof(exec) - 1;
			while (n && strchr("-@+!:", *from)) {
				from++;
				n--;
			}
			is_continued = n && from[n - 1] == '\\';
		} else if (starts(&line, 0, environment)) {
			fputs("export ", f);
			from += sizeof(environment) - 1;
			n -= sizeof(environment) - 1;
			is_continued = n && from[n - 1] == '\\';
		} else if (starts(&line, 0, "Image=")) { /* of a Quadlet */
			fputs("docker run ", f);
			from += 6;
			n -= 6;
			is_image = true;
			(void)fwrite(from, 1, n, f);
			fputs(" \\\n", f);
			continue;
		} else if (is_image && starts(&line, 0, "Exec=")) {
			from += 5;
			n -= 5;
			is_continued = n && from[n - 1] == '\\';
		} else {
			n = 0;
			if (is_image)
				continue;
		}
		(void)fwrite(from, 1, n, f);
		putc('\n', f);
	}
	if (fclose(f)) {
		free(script);
		return no_memory(err);
	}
	rc = launches_read_shell(out, script, size, 1, NULL, err);
	free(script);
	return rc;
}

/* -- Dockerfiles ----------------------------------------------------------------------- */

static bool is_dockerfile(const char *text, size_t length)
{
	struct line line = { 0 };
	bool has_from = false;

	while (next_line(&line, text, length)) {
		has_from |= starts(&line, 0, "FROM ");
		if (has_from && (starts(&line, 0, "CMD ") || starts(&line, 0, "ENTRYPOINT ")))
			return true;
	}
	return false;
}

/** `["a", "b"]` as words of a shell, or the shell form as it is. */
static bool write_form(FILE *f, const char *text, size_t length)
{
	cJSON *list = cJSON_ParseWithLength(text, length);
	const cJSON *item;

	if (cJSON_IsArray(list)) {
		cJSON_ArrayForEach(item, list)
		{
			if (cJSON_IsString(item)) {
				shell_quote(f, item->valuestring);
				putc(' ', f);
			}
		}
	} else {
		(void)fwrite(text, 1, length, f);
		putc(' ', f);
	}
	cJSON_Delete(list);
	return true;
}

/** The entry point, then the command: what a container of the image runs. */
static enum ss_status read_dockerfile(struct launches *out, const char *text, size_t length,
				      struct ss_error *err)
{
	static const struct {
		const char *word;
		size_t part;
	} parts[] = { { "FROM ", 0 }, { "ENTRYPOINT ", 1 }, { "CMD ", 2 } };
	struct line line = { 0 };
	char *texts[3] = { NULL, NULL, NULL }, *script = NULL;
	size_t sizes[3], size = 0, at = 0;
	FILE *f = open_memstream(&script, &size);
	enum ss_status rc = SS_OK;

	if (!f)
		return no_memory(err);
	while (next_line(&line, text, length)) {
		if (starts(&line, 0, "ENV ")) {
			fputs("export ", f);
			(void)fwrite(line.text + 4, 1, line.length - 4, f);
			putc('\n', f);
		}
		for (size_t i = 0; i < 3; i++) {
			size_t n = strlen(parts[i].word);
			const char *from = line.text + n;
			size_t whole;

			if (!starts(&line, 0, parts[i].word))
				continue;
			while (line.length && line.text[line.length - 1] == '\\' &&
			       next_line(&line, text, length))
				;
			whole = (size_t)(line.text + line.length - from);
			free(texts[i]);
			texts[i] = strndup(from, whole);
			sizes[i] = whole;
			if (!texts[i])
				rc = no_memory(err);
			at = i ? line.number : at;
			break;
		}
	}
	if (texts[0] && !texts[1])
		fprintf(f, "docker run %.*s ", (int)strcspn(texts[0], " \r\n"), texts[0]);
	for (size_t i = 1; i < 3; i++) {
		if (texts[i])
			write_form(f, texts[i], sizes[i]);
	}
	for (size_t i = 0; i < 3; i++)
		free(texts[i]);
	if (fclose(f))
		rc = no_memory(err);
	if (!rc)
		rc = launches_read_shell(out, script, size, at ? at : 1, NULL, err);
	free(script);
	return rc;
}

/* -- YAML ------------------------------------------------------------------------------ */

/** `{{ ... }}` of a chart's template made `< ... >`, lines that hold nothing else left out. */
static char *fill_template(const char *text, size_t length)
{
	struct line line = { 0 };
	char *out = malloc(length + 2);
	size_t used = 0;

	if (!out)
		return NULL;
	while (next_line(&line, text, length)) {
		size_t at = blanks(line.text, line.length), end = line.length;

		while (end > at && strchr(" \t\r", line.text[end - 1]))
			end--;
		if (end >= at + 4 && !memcmp(line.text + at, "{{", 2) &&
		    !memcmp(line.text + end - 2, "}}", 2)) {
			out[used++] = '\n';
			continue;
		}
		for (size_t i = 0; i < line.length; i++) {
			bool is_pair = i + 1 < line.length && line.text[i + 1] == line.text[i];

			if (is_pair && (line.text[i] == '{' || line.text[i] == '}'))
				out[used++] = line.text[i++] == '{' ? '<' : '>';
			else
				out[used++] = line.text[i];
		}
		out[used++] = '\n';
	}
	out[used] = '\0';
	return out;
}

static enum ss_status parse_tree(struct tree_documents *documents, const char *text, size_t length,
				 struct ss_error *err)
{
	enum ss_status rc = tree_parse_open(documents, text, length, err);
	struct ss_error again = { 0 };
	char *filled;

	if (rc != SS_EDOCUMENT || !holds(text, length, "{{"))
		return rc;
	filled = fill_template(text, length);
	if (!filled)
		return no_memory(err);
	rc = tree_parse_open(documents, filled, strlen(filled), &again);
	free(filled);
	return rc;
}

bool launches_are_yaml(const char *text, size_t length)
{
	struct tree_documents documents = { 0 };
	struct ss_error err = { 0 };
	bool is_known;

	if (parse_tree(&documents, text, length, &err))
		return false;
	is_known = launches_know_tree(&documents);
	tree_release(&documents);
	return is_known;
}

/** Reads the text as YAML when it is YAML that starts something; else says so. */
static enum ss_status read_yaml(struct launches *out, const char *text, size_t length, size_t line,
				bool *is_yaml, struct ss_error *err)
{
	struct tree_documents documents = { 0 };
	struct ss_error ignored = { 0 };
	size_t before = out->count;
	enum ss_status rc = parse_tree(&documents, text, length, &ignored);

	*is_yaml = false;
	if (rc)
		return rc == SS_ENOMEM ? no_memory(err) : SS_OK;
	if (launches_know_tree(&documents)) {
		*is_yaml = true;
		rc = launches_read_tree(out, &documents, err);
	}
	tree_release(&documents);
	for (size_t i = before; i < out->count && line > 1; i++) {
		out->items[i].line += line - 1;
		for (size_t k = 0; k < out->items[i].words.count; k++)
			out->items[i].words.items[k].line += line - 1;
	}
	return rc;
}

/** `key:`, `- ` or `{` at the start, ahead of anything that is no comment. */
static bool may_be_yaml(const char *text, size_t length)
{
	struct line line = { 0 };

	while (next_line(&line, text, length)) {
		size_t at = blanks(line.text, line.length), n = 0;

		if (at == line.length || strchr("#\r", line.text[at]))
			continue;
		if (starts(&line, at, "---") || starts(&line, at, "%YAML") ||
		    starts(&line, at, "{{") || starts(&line, at, "- "))
			return true;
		if (strchr("{[", line.text[at]))
			return true;
		while (at + n < line.length && !strchr(": \t\r'\"$=", line.text[at + n]))
			n++;
		return n && at + n < line.length && line.text[at + n] == ':' &&
		       (at + n + 1 == line.length || strchr(" \t\r", line.text[at + n + 1]));
	}
	return false;
}

/* -- any text -------------------------------------------------------------------------- */

static enum ss_status read_part(struct launches *out, const char *text, size_t length, size_t line,
				struct ss_error *err)
{
	bool is_yaml = false;
	enum ss_status rc = SS_OK;

	if (may_be_yaml(text, length))
		rc = read_yaml(out, text, length, line, &is_yaml, err);
	if (rc || is_yaml)
		return rc;
	return launches_read_shell(out, text, length, line, NULL, err);
}

/** Where a command begins on a line that speaks of one; `length` for none. */
static size_t find_mark(const struct line *line)
{
	static const char *const marks[] = { "vllm serve", "vllm.entrypoints", "vllm/vllm-openai" };

	for (size_t i = 0; i < sizeof(marks) / sizeof(marks[0]); i++) {
		size_t n = strlen(marks[i]);

		for (size_t at = 0; at + n <= line->length; at++) {
			if (!memcmp(line->text + at, marks[i], n))
				return at;
		}
	}
	return line->length;
}

/** Prose: each line that holds a command, with the lines it goes on over. */
static enum ss_status read_lines(struct launches *out, const char *text, size_t length,
				 struct ss_error *err)
{
	struct line line = { 0 };
	enum ss_status rc = SS_OK;

	while (rc != SS_ENOMEM && next_line(&line, text, length)) {
		size_t mark = find_mark(&line), start = mark, end, number = line.number;
		const char *from, *tick;
		struct ss_error ignored = { 0 };

		if (mark == line.length)
			continue;
		while (start && line.text[start - 1] != '`')
			start--;
		from = line.text + start;
		tick = start ? memchr(from, '`', line.length - start) : NULL;
		while (!tick && line.length && line.text[line.length - 1] == '\\' &&
		       next_line(&line, text, length))
			;
		end = (size_t)(text + length - from);
		if (line.text < text + length)
			end = (size_t)(line.text + line.length - from);
		if (tick)
			end = (size_t)(tick - from);
		rc = launches_read_shell(out, from, end, number, NULL, &ignored);
	}
	return rc == SS_ENOMEM ? no_memory(err) : SS_OK;
}

/** A command that is kept in a variable and run by nothing in the text. */
static enum ss_status read_variables(struct launches *out, struct ss_error *err)
{
	enum ss_status rc = SS_OK;
	size_t count = out->variables.count;

	for (size_t i = 0; i < count && !rc; i++) {
		const struct shell_variable *variable = &out->variables.items[i];
		char *value;

		if (variable->is_array || !variable->count || !strstr(variable->values[0], "vllm"))
			continue;
		value = strdup(variable->values[0]);
		if (!value)
			return no_memory(err);
		rc = launches_read_shell(out, value, strlen(value), 1, NULL, err);
		free(value);
	}
	return rc == SS_EUSAGE ? SS_OK : rc;
}

enum ss_status launches_read(struct launches *out, const char *text, size_t length,
			     struct ss_error *err)
{
	size_t before = out->count;
	bool has_fences = false;
	struct ss_error found = { 0 };
	enum ss_status rc = SS_OK;

	if (memchr(text, '\0', length))
		return launches_read_shell(out, text, length, 1, NULL, err);
	if (is_unit(text, length))
		rc = read_unit(out, text, length, &found);
	else if (is_dockerfile(text, length))
		rc = read_dockerfile(out, text, length, &found);
	else
		rc = read_fences(out, text, length, &has_fences, &found);
	if (!rc && !has_fences && out->count == before)
		rc = read_part(out, text, length, 1, &found);
	if (rc != SS_ENOMEM && out->count == before && holds_launch(text, length)) {
		enum ss_status again = read_variables(out, err);

		if (!again && out->count == before)
			again = read_lines(out, text, length, err);
		if (again)
			return again;
	}
	/* One bad block does not hide the commands of the others. */
	if (out->count > before && rc != SS_ENOMEM)
		return SS_OK;
	if (!rc && *found.message)
		rc = SS_EUSAGE;
	if (rc && err)
		*err = found;
	return rc;
}
