#include "resolve/basis.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "price/host.h"
#include "resolve/footing.h"

void basis_part_suffix(char *out, size_t size, const char *part)
{
	(void)snprintf(out, size, "%s", part);
	for (char *c = out; *c; c++)
		if (*c == '-')
			*c = '_';
}

static void clear_index(struct ss_basis *b)
{
	memset(b->plain, -1, sizeof(b->plain));
	memset(b->format, -1, sizeof(b->format));
	memset(b->kind, -1, sizeof(b->kind));
	memset(b->recurrent, -1, sizeof(b->recurrent));
	memset(b->component, -1, sizeof(b->component));
	memset(b->mode, -1, sizeof(b->mode));
}

static int index_of(const char *text, const char *(*name)(int), int count)
{
	for (int i = 0; i < count; i++)
		if (strcmp(text, name(i)) == 0)
			return i;
	return -1;
}

static const char *format_name(int i)
{
	return coef_format_name((enum coef_format)i);
}

static const char *attention_name(int i)
{
	return ss_attention_kind_name((enum ss_attention_kind)i);
}

static const char *recurrent_name(int i)
{
	return ss_recurrent_kind_name((enum ss_recurrent_kind)i);
}

/** `8rank` to 8; 0 when the text is no width with that unit. */
static int parse_width(const char *text, const char *unit, const char **end)
{
	int width = 0;
	const char *c = text;

	for (; isdigit((unsigned char)*c) && width < 1000000; c++)
		width = width * 10 + (*c - '0');
	if (c == text || strncmp(c, unit, strlen(unit)) != 0)
		return 0;
	*end = c + strlen(unit);
	return width;
}

static void put_width(struct basis_widths *w, int width, int entry)
{
	for (size_t i = 0; i < w->count; i++)
		if (w->width[i] == width) {
			w->entry[i] = entry;
			return;
		}
	if (w->count == BASIS_WIDTHS_MAX)
		return;
	w->width[w->count] = width;
	w->entry[w->count++] = entry;
}

static void index_ranks(struct basis_widths *w, const char *suffix, int entry)
{
	const char *end = "";
	int width = parse_width(suffix, "rank", &end);

	if (width > 0 && !*end)
		put_width(w, width, entry);
}

static void index_collective(struct ss_basis *b, enum coef_family family, const char *suffix,
			     const char *part, int entry)
{
	for (int op = 0; op < COLLECTIVE_COUNT; op++) {
		const char *name = coef_collective_name((enum coef_collective)op);
		size_t length = strlen(name);
		const char *end = "";
		int width;

		if (strncmp(suffix, name, length) != 0 ||
		    strncmp(suffix + length, "_fp16_", 6) != 0)
			continue;
		width = parse_width(suffix + length + 6, "rank_", &end);
		if (width > 0 && strcmp(end, part) == 0)
			put_width(&b->link[family - COEF_LINK_FLOOR][op], width, entry);
		return;
	}
}

static void index_backend(struct ss_basis *b, enum coef_family family, const char *suffix,
			  int entry)
{
	for (int i = 0; i < BACKEND_COUNT; i++) {
		const char *name = coef_backend_name((enum coef_backend)i);
		size_t length = strlen(name);
		const char *end = "";
		int width;

		if (strncmp(suffix, name, length) != 0 || suffix[length] != '_')
			continue;
		width = parse_width(suffix + length + 1, "ep", &end);
		if (width > 0 && !*end)
			put_width(&b->backend[family - COEF_A2A_FLOOR][i], width, entry);
		return;
	}
}

static void index_kind(struct ss_basis *b, enum coef_family family, const char *suffix, int entry)
{
	int at = index_of(suffix, attention_name, SS_ATTENTION_COUNT);

	for (size_t r = 0; at < 0 && r < b->role_count; r++)
		if (strcmp(suffix, b->roles[r]) == 0)
			at = SS_ATTENTION_COUNT + (int)r;
	if (at >= 0)
		b->kind[family][at] = entry;
}

static void index_mode(struct ss_basis *b, const char *suffix, int entry)
{
	enum graph_mode mode = graph_mode_find(suffix);

	if (mode != GRAPH_MODE_COUNT)
		b->mode[mode] = entry;
}

static void index_entry(struct ss_basis *b, const char *part, int entry)
{
	const char *suffix = "";
	enum coef_family family = coef_family_find(b->entries[entry].name, &suffix);
	int at;

	b->entries[entry].family = family;
	if (family == COEF_FAMILY_COUNT)
		return;
	switch (coef_family(family)->suffix) {
	case SUFFIX_NONE:
		b->plain[family] = entry;
		break;
	case SUFFIX_FORMAT:
		at = index_of(suffix, format_name, FORMAT_COUNT);
		if (at >= 0)
			b->format[family - COEF_GEMM_EPS][at] = entry;
		break;
	case SUFFIX_KIND:
		if (*suffix)
			index_kind(b, family, suffix, entry);
		else
			b->plain[family] = entry;
		break;
	case SUFFIX_RECURRENT:
		at = index_of(suffix, recurrent_name, SS_RECURRENT_COUNT);
		if (at >= 0)
			b->recurrent[family][at] = entry;
		break;
	case SUFFIX_COMPONENT:
		if (strcmp(suffix, "pre") == 0 || strcmp(suffix, "post") == 0)
			b->component[family][suffix[1] == 'o'] = entry;
		break;
	case SUFFIX_RANKS:
		index_ranks(family == COEF_COMMUNICATOR    ? &b->communicator
			    : family == COEF_BUFFERS_DENSE ? &b->buffers_dense
							   : &b->buffers_moe,
			    suffix, entry);
		break;
	case SUFFIX_MODE:
		index_mode(b, suffix, entry);
		break;
	case SUFFIX_OP_RANKS:
		index_collective(b, family, suffix, part, entry);
		break;
	case SUFFIX_BACKEND:
		index_backend(b, family, suffix, entry);
		break;
	}
}

static const struct ss_hardware_entries *entries_of_part(const struct ss_coefficient_set *set,
							 const char *part)
{
	size_t low = 0, high = set->hardware_count;

	while (low < high) {
		size_t middle = (low + high) / 2;
		int order = strcmp(set->by_hardware[middle].hardware, part);

		if (order == 0)
			return &set->by_hardware[middle];
		if (order < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return NULL;
}

static size_t count_in_scope(const struct ss_basis_inputs *in)
{
	size_t n = in->whatif_count;

	for (size_t s = 0; s < in->set_count; s++) {
		const struct ss_hardware_entries *h = entries_of_part(in->sets[s], in->part->name);

		n += h ? h->count : in->sets[s]->everywhere_count;
	}
	return n;
}

static void add_set(struct ss_basis *b, const struct ss_coefficient_set *set)
{
	const struct ss_hardware_entries *h = entries_of_part(set, b->in.part->name);
	const unsigned *list = h ? h->entries : set->everywhere;
	size_t count = h ? h->count : set->everywhere_count;

	for (size_t i = 0; i < count; i++) {
		const struct ss_coefficient *c = &set->entries[list[i]];
		const struct ss_scope *scope = &c->scope;

		if (scope->model_count && !ss_scope_has_model(scope, b->in.model->name))
			continue;
		b->entries[b->entry_count++] = (struct basis_entry){
			.coefficient = c,
			.set = set,
			.name = c->name,
			.value = c->value,
			.original = c->value,
			.previous = -1,
			.has_layout_scope =
				scope->tp_count || scope->ep_count || scope->nodes_spanned_count,
		};
	}
}

/** Order by name, then by precedence: entries are compared where they stand. */
static int by_name(const void *a, const void *b)
{
	const struct basis_entry *x = a, *y = b;
	int order = strcmp(x->name, y->name);

	/* before sorting, `previous` carries the position */
	return order ? order : (x->previous > y->previous) - (x->previous < y->previous);
}

static void sort_entries(struct ss_basis *b)
{
	for (size_t i = 0; i < b->entry_count; i++)
		b->entries[i].previous = (int)i;
	qsort(b->entries, b->entry_count, sizeof(*b->entries), by_name);
	for (size_t i = 0; i < b->entry_count; i++) {
		bool has_same = i > 0 && strcmp(b->entries[i].name, b->entries[i - 1].name) == 0;

		b->entries[i].previous = has_same ? (int)i - 1 : -1;
	}
}

/** Does a family of kernel times have names that begin so? */
static bool is_time(const char *name)
{
	for (int i = 0; i < SS_TIMES_COUNT; i++) {
		const char *family = ss_times_family((enum ss_times_family)i)->name;
		size_t length = strlen(family);

		if (strncmp(name, family, length) == 0 &&
		    (name[length] == '\0' || name[length] == '_'))
			return true;
	}
	return false;
}

static bool apply_whatif(struct ss_basis *b, const struct ss_whatif *w,
			 struct ss_problems *problems)
{
	double most = coef_range_most(coef_family_find(w->name, NULL));
	bool is_found = false;
	char pointer[128];

	(void)snprintf(pointer, sizeof(pointer), "/what_if/%.100s", w->name);
	if (!(w->value > 0) || !(w->value <= most)) {
		(void)ss_problems_add(problems, SS_ERROR, "range", "", pointer,
				      "coefficient %s: must be above 0 and at most %g, got %g",
				      w->name, most, w->value);
		return false;
	}
	for (size_t i = 0; i < b->entry_count; i++)
		if (strcmp(b->entries[i].name, w->name) == 0) {
			b->entries[i].value = w->value;
			b->entries[i].is_whatif = true;
			is_found = true;
		}
	if (is_found)
		return true;
	/* kernel times are entries of a deployment, not of a part */
	if (b->in.registry && is_time(w->name))
		return true;
	if (coef_family_find(w->name, NULL) == COEF_FAMILY_COUNT) {
		(void)ss_problems_add(problems, SS_ERROR, "unknown-key", "", pointer,
				      "coefficient %s: no law reads that name", w->name);
		return false;
	}
	b->entries[b->entry_count++] = (struct basis_entry){
		.name = w->name, .value = w->value, .is_whatif = true, .previous = -1
	};
	return true;
}

/** Values beyond what their family can be, in sets read: a document to put right. */
static bool check_ranges(const struct ss_basis *b, struct ss_problems *problems)
{
	bool is_right = true;

	for (size_t i = 0; i < b->entry_count; i++) {
		const struct basis_entry *e = &b->entries[i];
		double most = coef_range_most(coef_family_find(e->name, NULL));

		if (e->is_whatif || (e->value >= 0 && e->value <= most))
			continue;
		(void)ss_problems_add(problems, SS_ERROR, "range", e->set->name, "/entries",
				      "coefficient %s: must be from 0 to %g, got %g", e->name, most,
				      e->value);
		is_right = false;
	}
	return is_right;
}

static void add_role(struct ss_basis *b, char *role)
{
	for (size_t i = 0; i < b->role_count; i++)
		if (strcmp(b->roles[i], role) == 0)
			return;
	if (b->role_count < BASIS_ROLES_MAX)
		b->roles[b->role_count++] = role;
}

/** Latent width that tells DSA sparse attention from other sparse latent layers. */
enum { DSA_LATENT_WIDTH = 576 };

static void read_attention(struct ss_basis *b, const struct ss_node *n)
{
	if (*n->role) {
		add_role(b, n->role);
		return;
	}
	b->has_attention = true;
	if (ss_attention_is_latent(n->attention))
		b->has_latent = true;
	else
		b->has_nonlatent = true;
	if (n->attention == SS_ATTENTION_SPARSE_MLA) {
		b->has_sparse = true;
		b->has_dsa |= n->d_h == DSA_LATENT_WIDTH;
	}
	if (n->attention == SS_ATTENTION_SWA)
		b->has_window = true;
	else
		b->has_full_attention = true;
}

static void read_node(struct ss_basis *b, const struct ss_node *n)
{
	if (n->op == SS_OP_ATTENTION) {
		read_attention(b, n);
	} else if (n->op == SS_OP_RECURRENT) {
		b->has_recurrent = true;
	} else if (n->op == SS_OP_GROUPED_GEMM) {
		b->has_experts = true;
		if (n->experts > b->experts)
			b->experts = n->experts;
	} else if (n->op == SS_OP_TABLE_LOOKUP) {
		b->has_table = true;
		b->has_engram |= strcmp(n->table, "engram") == 0;
	}
}

static void read_model(struct ss_basis *b)
{
	const struct ss_model *model = b->in.model;

	for (size_t k = 0; k < model->kind_count; k++)
		for (size_t i = 0; model->kinds[k].count && i < model->kinds[k].node_count; i++)
			read_node(b, &model->kinds[k].nodes[i]);
	/* a draft stack may bring roles of its own */
	for (size_t k = 0; k < model->kind_count; k++)
		for (size_t i = 0; i < model->kinds[k].node_count; i++) {
			const struct ss_node *n = &model->kinds[k].nodes[i];

			if (n->op == SS_OP_ATTENTION && *n->role)
				add_role(b, n->role);
		}
}

enum ss_status ss_basis_new(struct ss_basis **out, const struct ss_basis_inputs *in,
			    struct ss_problems *problems)
{
	enum ss_status rc = SS_ENOMEM;
	struct ss_basis *b = calloc(1, sizeof(*b));
	size_t capacity = count_in_scope(in);
	char part[128];

	if (!b)
		return SS_ENOMEM;
	b->in = *in;
	b->sets = calloc(in->set_count + 1, sizeof(struct ss_coefficient_set *));
	b->whatifs = calloc(in->whatif_count + 1, sizeof(*b->whatifs));
	b->entries = calloc(capacity + 1, sizeof(*b->entries));
	if (!b->sets || !b->whatifs || !b->entries)
		goto done;
	for (size_t i = 0; i < in->set_count; i++)
		b->sets[i] = in->sets[i];
	b->in.sets = b->sets;
	for (size_t i = 0; i < in->whatif_count; i++) {
		b->whatifs[i].value = in->whatifs[i].value;
		b->whatifs[i].name = strdup(in->whatifs[i].name);
		b->in.whatif_count = i + 1;
		if (!b->whatifs[i].name)
			goto done;
	}
	b->in.whatif_count = in->whatif_count;
	b->in.whatifs = b->whatifs;
	clear_index(b);
	read_model(b);
	for (size_t i = 0; i < in->set_count; i++)
		add_set(b, in->sets[i]);
	rc = SS_OK;
	for (size_t i = 0; i < in->whatif_count; i++)
		if (!apply_whatif(b, &b->whatifs[i], problems))
			rc = SS_EUSAGE;
	if (!check_ranges(b, problems))
		rc = SS_EDOCUMENT;
	if (rc)
		goto done;
	sort_entries(b);
	basis_part_suffix(part, sizeof(part), in->part->name);
	for (size_t i = 0; i < b->entry_count; i++)
		index_entry(b, part, (int)i);
	*out = b;
	b = NULL;
done:
	ss_basis_free(b);
	return rc;
}

void ss_basis_free(struct ss_basis *basis)
{
	if (!basis)
		return;
	for (size_t i = 0; basis->whatifs && i < basis->in.whatif_count; i++)
		free((char *)(uintptr_t)basis->whatifs[i].name);
	free(basis->whatifs);
	free(basis->sets);
	free(basis->entries);
	free(basis);
}

const struct ss_basis_inputs *ss_basis_inputs(const struct ss_basis *basis)
{
	return &basis->in;
}
