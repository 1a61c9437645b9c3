/* The fixed bytes as laws: what they read, their numbers, what moves the room. */
#include "resolve/footing.h"

#include <math.h>

/* clang-format off */
static const struct {
	const char *name, *label;
} terms[] = {
#define SS_X(id, name, label) { name, label },
	SS_MEMORY_TERMS(SS_X)
#undef SS_X
};
/* clang-format on */

const char *ss_memory_term_name(enum ss_memory_term term)
{
	return terms[term].name;
}

const char *ss_memory_term_label(enum ss_memory_term term)
{
	return terms[term].label;
}

int64_t ss_memory_term_bytes(const struct ss_memory *memory, enum ss_memory_term term)
{
	switch (term) {
	case SS_MEMORY_WEIGHTS:
		return memory->weights_bytes;
	case SS_MEMORY_SCALES:
		return memory->scales_bytes;
	case SS_MEMORY_TABLES:
		return memory->tables_bytes;
	case SS_MEMORY_REDUNDANT:
		return memory->redundant_bytes;
	case SS_MEMORY_DRAFT:
		return memory->draft_bytes;
	case SS_MEMORY_ACTIVATION:
		return memory->activation_bytes;
	case SS_MEMORY_COMMUNICATOR:
		return memory->communicator_bytes;
	case SS_MEMORY_WORKSPACE:
		return memory->workspace_bytes;
	case SS_MEMORY_GRAPHS:
		return memory->graphs_bytes;
	case SS_MEMORY_TERM_COUNT:
		break;
	}
	return 0;
}

/** The coefficients of a term; two for activation. */
static void coefs_of(const struct ss_kernel *k, enum ss_memory_term term, struct coef out[2])
{
	const struct memory_coefs *m = &k->memory_reads;

	out[0] = out[1] = COEF_NONE;
	switch (term) {
	case SS_MEMORY_ACTIVATION:
		out[0] = m->buffers;
		out[1] = m->scratch;
		break;
	case SS_MEMORY_COMMUNICATOR:
		out[0] = m->communicator;
		break;
	case SS_MEMORY_WORKSPACE:
		out[0] = m->workspace;
		break;
	case SS_MEMORY_GRAPHS:
		out[0] = m->capture;
		break;
	case SS_MEMORY_WEIGHTS:
	case SS_MEMORY_SCALES:
	case SS_MEMORY_TABLES:
	case SS_MEMORY_REDUNDANT:
	case SS_MEMORY_DRAFT:
	case SS_MEMORY_TERM_COUNT:
		break;
	}
}

void ss_kernel_memory_reads(const struct ss_kernel *kernel, enum ss_memory_term term,
			    int reads[SS_READS_MAX])
{
	struct coef coefs[2];
	int n = 0;

	coefs_of(kernel, term, coefs);
	for (int i = 0; i < 2; i++)
		if (coef_is_set(coefs[i]))
			reads[n++] = coefs[i].entry;
	reads[n] = -1;
}

bool memory_reads(const struct ss_kernel *k, int entry)
{
	int reads[SS_READS_MAX];

	for (int i = 0; i < SS_MEMORY_TERM_COUNT; i++) {
		ss_kernel_memory_reads(k, (enum ss_memory_term)i, reads);
		if (reads_hold(reads, entry))
			return true;
	}
	return false;
}

/** Does a correction put another figure in the workspace's place? */
static bool is_workspace_replaced(const struct ss_kernel *k)
{
	for (size_t i = 0; i < k->memory.correction_count; i++)
		if (k->memory.corrections[i].id == SS_DIVERGENCE_WORKSPACE_WIDTH)
			return true;
	return false;
}

size_t ss_kernel_memory_law(const struct ss_kernel *kernel, enum ss_memory_term term, char *out,
			    size_t size)
{
	struct line line = { .out = out, .size = size };
	long long bytes = (long long)ss_memory_term_bytes(&kernel->memory, term);
	struct coef coefs[2];

	if (size)
		out[0] = '\0';
	coefs_of(kernel, term, coefs);
	if (!coef_is_set(coefs[0]))
		line_say(&line, "from the model graph and its formats: %lld B", bytes);
	else if (term == SS_MEMORY_ACTIVATION)
		line_say(&line, "max(%.6g x %.0f B, %.0f B) = %lld B", coefs[0].value,
			 kernel->memory_reads.buffer_bytes, coefs[1].value, bytes);
	else
		line_say(&line, "%.0f B", coefs[0].value);
	if (term == SS_MEMORY_WORKSPACE && is_workspace_replaced(kernel))
		line_say(&line, ", in whose place the room takes what logs show");
	return line.length;
}

/* -- the room for KV -------------------------------------------------------------------- */

/** Bytes that the entry adds to what is not room, its value multiplied. */
static double bytes_with(const struct ss_kernel *k, int entry, double factor)
{
	const struct memory_coefs *m = &k->memory_reads;
	double buffers = m->buffers.value * (m->buffers.entry == entry ? factor : 1);
	double scratch = m->scratch.value * (m->scratch.entry == entry ? factor : 1);
	double bytes = fmax(buffers * m->buffer_bytes, scratch);

	if (m->communicator.entry == entry)
		bytes += m->communicator.value * (factor - 1);
	if (m->capture.entry == entry)
		bytes += m->capture.value * (factor - 1);
	if (m->workspace.entry == entry && !is_workspace_replaced(k))
		bytes += m->workspace.value * (factor - 1);
	return bytes;
}

double memory_room(const struct ss_kernel *k, int entry, double factor)
{
	if (k->memory_reads.is_room_stated)
		return (double)k->memory.budget_bytes;
	return (double)k->memory.budget_bytes + bytes_with(k, entry, 1) -
	       bytes_with(k, entry, factor);
}

double memory_elasticity(const struct ss_kernel *k, int entry)
{
	static const double h = 1e-4;
	double room = (double)k->memory.budget_bytes;

	if (room <= 0)
		return 0;
	/* the laws are straight on either side of the one maximum */
	return (memory_room(k, entry, 1 + h) - memory_room(k, entry, 1 - h)) / (2 * h * room);
}
