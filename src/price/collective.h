/**
 * @file
 * Collectives: time of one, what crossing nodes multiplies, which measured width
 * serves a width.
 */
#ifndef STEPSCOPE_PRICE_COLLECTIVE_H
#define STEPSCOPE_PRICE_COLLECTIVE_H

#include <math.h>
#include <stddef.h>

/**
 * Microseconds of one collective: a floor and a rate, never above the peak rate.
 *
 * @param floor      us.
 * @param transition bytes per us added to the floor; 0 or less: none measured.
 * @param peak       bytes per us at very large payloads; 0 or less: unbounded.
 * @param bytes      payload.
 */
static inline double collective_us(double floor, double transition, double peak, double bytes)
{
	double slope, bound;

	if (bytes <= 0)
		return floor;
	slope = transition > 0 ? floor + bytes / transition : floor;
	bound = peak > 0 ? bytes / peak : 0;
	return fmax(slope, bound);
}

/** Intra-node over inter-node bandwidth; 1 when it is unknown or no loss. */
static inline double fabric_ratio(double intra, double inter)
{
	double ratio;

	if (!(intra > 0) || !(inter > 0))
		return 1;
	ratio = intra / inter;
	return isfinite(ratio) && ratio > 1 ? ratio : 1;
}

/** Payload factor of a ring over `group` ranks, `per_node` in each node. */
static inline double span_ring(int group, int per_node, double ratio)
{
	if (group <= 1 || per_node >= group)
		return 1;
	if (per_node < 1 || group % per_node)
		return ratio;
	return 1 + (ratio - 1) * ((double)group / per_node - 1) / (group - 1);
}

/** Payload factor of a point-to-point exchange: what goes to other nodes costs the ratio. */
static inline double span_all_to_all(int group, int per_node, double ratio)
{
	if (group <= 1 || per_node >= group)
		return 1;
	if (per_node < 1)
		per_node = 1;
	return 1 + (ratio - 1) * (group - per_node) / (group - 1);
}

/** Past this width a collective takes the widest measured one. */
#define COLLECTIVE_MEASURED_MAX 16

/**
 * The measured width that serves a group of `wanted` ranks.
 *
 * @param present widths with a full set of figures, in any order.
 * @return 0 when none may stand in.
 */
int collective_width(const int *present, size_t count, int wanted);

#endif
