#include "sweep/sweep_script.h"

#include <inttypes.h>
#include <string.h>

#include "config.h"

/** One word of a POSIX shell. */
static void put_word(struct xbuf *out, const char *text)
{
	static const char plain[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=.,:/@%";

	if (*text && text[strspn(text, plain)] == '\0') {
		xbuf_puts(out, text);
		return;
	}
	xbuf_putc(out, '\'');
	for (; *text; text++) {
		if (*text == '\'')
			xbuf_puts(out, "'\\''");
		else
			xbuf_putc(out, *text);
	}
	xbuf_putc(out, '\'');
}

/** The command line that makes the rows, as `sh` reads it; a shard's words are still to come. */
static void put_command(struct xbuf *out, const struct arguments *a)
{
	bool has_format = false;

	xbuf_puts(out, "stepscope sweep");
	for (size_t i = 0; i < a->name_count; i++) {
		xbuf_putc(out, ' ');
		put_word(out, a->names[i]);
	}
	for (size_t i = 0; i < a->use_count; i++) {
		const struct option_row *row = option_row(a->uses[i].id);

		if (sweep_option_is_of_run(row->id))
			continue;
		has_format |= row->id == OPT_FORMAT || row->id == OPT_JSON;
		xbuf_printf(out, " --%s", row->name);
		if (!row->argument)
			continue;
		xbuf_putc(out, ' ');
		put_word(out, a->uses[i].value);
	}
	if (!has_format)
		xbuf_puts(out, " --format csv");
}

/** The file that the whole goes to: `-o`, or sweep.csv. */
static const char *whole_name(const struct arguments *a)
{
	const char *name = arguments_value(a, OPT_OUTPUT);

	if (name)
		return name;
	return a->format == FORMAT_JSON     ? "sweep.jsonl"
	       : a->format == FORMAT_SQLITE ? "sweep.db"
					    : "sweep.csv";
}

/** Every shard comes with all its rows unless a test or a ranking leaves some out. */
static void put_merge(struct xbuf *out, const struct arguments *a, uint64_t rows)
{
	xbuf_puts(out, "stepscope merge ");
	if (!arguments_has(a, OPT_WHERE))
		xbuf_printf(out, "--expect %" PRIu64 " ", rows);
	xbuf_puts(out, "-o \"$whole\" \"$whole\".*-of-\"$shards\"");
}

static void put_names(struct xbuf *out, const struct arguments *a, int64_t shards)
{
	xbuf_puts(out, "whole=");
	put_word(out, whole_name(a));
	xbuf_printf(out, "\nshards=%" PRId64 "\n", shards);
}

static void parallel_script(struct xbuf *out, const struct arguments *a, uint64_t rows,
			    int64_t shards)
{
	struct xbuf command = { 0 };

	put_command(&command, a);
	xbuf_printf(out,
		    "#!/bin/sh\n"
		    "# %" PRIu64 " rows in %" PRId64
		    " shards by GNU parallel. Arguments go to parallel:\n"
		    "#   sh THIS --sshlogin :,host1,host2\n"
		    "# Run it again after a failure: each shard goes on where its file ends.\n"
		    "set -eu\n",
		    rows, shards);
	put_names(out, a, shards);
	xbuf_puts(out, "one='");
	for (const char *at = xbuf_text(&command); *at; at++) {
		if (*at == '\'')
			xbuf_puts(out, "'\\''");
		else
			xbuf_putc(out, *at);
	}
	xbuf_puts(out, " --jobs 1 --shard {1}/{2} --resume {3}.{1}-of-{2}'\n"
		       "test $# -eq 0 || set -- --return '{3}.{1}-of-{2}' \"$@\"\n"
		       "parallel \"$@\" \"$one\" ::: $(seq \"$shards\") ::: \"$shards\" "
		       "::: \"$whole\"\n");
	put_merge(out, a, rows);
	xbuf_putc(out, '\n');
	xbuf_release(&command);
}

static void slurm_script(struct xbuf *out, const struct arguments *a, uint64_t rows, int64_t shards)
{
	xbuf_printf(out,
		    "#!/bin/sh\n"
		    "# %" PRIu64 " rows in %" PRId64
		    " tasks of a Slurm array, joined by a job after it.\n"
		    "# Arguments go to sbatch. The folder must be one that all nodes share.\n"
		    "set -eu\n",
		    rows, shards);
	put_names(out, a, shards);
	xbuf_puts(out, "export whole shards\n"
		       "array=$(sbatch --parsable --requeue --array=\"1-$shards\" --job-name=sweep "
		       "\"$@\" <<'TASK'\n#!/bin/sh\nexec ");
	put_command(out, a);
	xbuf_puts(out, " --jobs \"${SLURM_CPUS_PER_TASK:-1}\" \\\n"
		       "\t--shard \"$SLURM_ARRAY_TASK_ID/$shards\" "
		       "--resume \"$whole.$SLURM_ARRAY_TASK_ID-of-$shards\"\nTASK\n)\n"
		       "sbatch --dependency=\"afterok:${array%%;*}\" --job-name=sweep-merge \"$@\" "
		       "<<'TASK'\n#!/bin/sh\nexec ");
	put_merge(out, a, rows);
	xbuf_puts(out, "\nTASK\n");
}

static void k8s_job(struct xbuf *out, const char *name, const char *extra, const char *after)
{
	xbuf_printf(out,
		    "apiVersion: batch/v1\n"
		    "kind: Job\n"
		    "metadata:\n"
		    "  name: %s\n"
		    "spec:\n"
		    "%s"
		    "  template:\n"
		    "    spec:\n"
		    "      restartPolicy: OnFailure\n"
		    "      volumes:\n"
		    "      - name: sweep\n"
		    "        persistentVolumeClaim: { claimName: sweep }\n"
		    "      containers:\n"
		    "      - name: stepscope\n"
		    "        image: stepscope:" PACKAGE_VERSION "\n"
		    "        workingDir: /sweep\n"
		    "        volumeMounts:\n"
		    "        - { name: sweep, mountPath: /sweep }\n"
		    "        command: [sh, -c]\n"
		    "        args:\n"
		    "        - |\n%s",
		    name, extra, after);
}

/** Text behind ten blanks a line, as a YAML block scalar wants it. */
static void put_indented(struct xbuf *out, const char *text)
{
	for (const char *at = text; *at;) {
		size_t length = strcspn(at, "\n");

		xbuf_puts(out, "          ");
		xbuf_add(out, at, length);
		xbuf_putc(out, '\n');
		at += length + (at[length] == '\n');
	}
}

static void k8s_script(struct xbuf *out, const struct arguments *a, uint64_t rows, int64_t shards)
{
	struct xbuf shell = { 0 }, extra = { 0 };

	xbuf_printf(
		out,
		"# %" PRIu64 " rows in %" PRId64
		" pods of an indexed Job; then the Job sweep-merge:\n"
		"#   kubectl apply -f THIS -l step=shards\n"
		"#   kubectl wait --for=condition=complete job/sweep --timeout=-1s\n"
		"#   kubectl apply -f THIS -l step=merge\n"
		"# Both share the claim `sweep`; the image is one with this package installed.\n",
		rows, shards);
	put_names(&shell, a, shards);
	xbuf_puts(&shell, "shard=$((JOB_COMPLETION_INDEX + 1))\nexec ");
	put_command(&shell, a);
	xbuf_puts(&shell,
		  " \\\n  --shard \"$shard/$shards\" --resume \"$whole.$shard-of-$shards\"\n");
	xbuf_printf(&extra,
		    "  completionMode: Indexed\n"
		    "  completions: %" PRId64 "\n"
		    "  parallelism: %" PRId64 "\n",
		    shards, shards);
	k8s_job(out, "sweep\n  labels: { step: shards }", xbuf_text(&extra), "");
	put_indented(out, xbuf_text(&shell));
	xbuf_puts(out, "---\n");
	shell.len = 0;
	put_names(&shell, a, shards);
	xbuf_puts(&shell, "exec ");
	put_merge(&shell, a, rows);
	xbuf_putc(&shell, '\n');
	k8s_job(out, "sweep-merge\n  labels: { step: merge }", "", "");
	put_indented(out, xbuf_text(&shell));
	xbuf_release(&shell);
	xbuf_release(&extra);
}

/* In the order of SWEEP_SITES. */
static void (*const writers[])(struct xbuf *, const struct arguments *, uint64_t,
			       int64_t) = { parallel_script, slurm_script, k8s_script };

int sweep_site(const char *word)
{
	static const char sites[] = SWEEP_SITES;
	int site = 0;

	for (const char *at = sites; *at; site++) {
		size_t length = strcspn(at, " ");

		if (length == strlen(word) && !strncmp(at, word, length))
			return site;
		at += length + (at[length] == ' ');
	}
	return -1;
}

void sweep_script(struct xbuf *out, int site, const struct arguments *arguments, uint64_t rows,
		  int64_t shards)
{
	writers[site](out, arguments, rows, shards);
}
