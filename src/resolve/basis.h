/**
 * @file
 * Coefficients in scope of one part and model, indexed by what the laws ask for.
 */
#ifndef STEPSCOPE_RESOLVE_BASIS_H
#define STEPSCOPE_RESOLVE_BASIS_H

#include "resolve/coefficient_table.h"
#include "stepscope/kernel.h"

/** Widths of ranks a family may be measured at. */
#define BASIS_WIDTHS_MAX 16
/** Scorer roles a model may have. */
#define BASIS_ROLES_MAX 8

/** One entry in scope. Entries stand in name order; equal names in order of precedence, last wins.
 */
struct basis_entry {
	const struct ss_coefficient *coefficient; /**< NULL: a what-if of a name no set has */
	const struct ss_coefficient_set *set;
	const char *name;
	double value;
	double original;
	bool is_whatif;
	int previous; /**< entry of the same name that this one wins over, or -1 */
	enum coef_family family;
	bool has_layout_scope; /**< tp, ep or nodes_spanned */
	bool is_winner_always; /**< no later entry of the name, no layout scope */
};

/** Entries of a family that differ by rank width. */
struct basis_widths {
	int width[BASIS_WIDTHS_MAX];
	int entry[BASIS_WIDTHS_MAX];
	size_t count;
};

struct ss_basis {
	struct ss_basis_inputs in;
	const struct ss_coefficient_set **sets; /**< a copy of in.sets */
	struct ss_whatif *whatifs;
	struct basis_entry *entries;
	size_t entry_count;
	char *roles[BASIS_ROLES_MAX]; /**< borrowed from the model */
	size_t role_count;
	/* last entry of each name, by family and what its suffix says; -1 none */
	int plain[COEF_FAMILY_COUNT];
	int format[4][FORMAT_COUNT]; /**< by COEF_GEMM_EPS + i */
	int kind[COEF_FAMILY_COUNT][SS_ATTENTION_COUNT + BASIS_ROLES_MAX];
	int recurrent[COEF_FAMILY_COUNT][SS_RECURRENT_COUNT];
	int component[COEF_FAMILY_COUNT][2];
	int mode[8];
	struct basis_widths communicator, buffers_dense, buffers_moe;
	struct basis_widths link[3][COLLECTIVE_COUNT]; /**< floor, peak, transition */
	struct basis_widths backend[2][BACKEND_COUNT]; /**< floor, rate */
	/* model facts that do not change with the deployment */
	bool has_dsa;
	bool has_recurrent;
	bool has_attention, has_window, has_full_attention, has_latent, has_nonlatent, has_sparse;
	bool has_experts;
	int64_t experts; /**< the most any node has */
	bool has_table, has_engram;
};

/** Suffix that names the part in its coefficients: dashes become underscores. */
void basis_part_suffix(char *out, size_t size, const char *part);

#endif
