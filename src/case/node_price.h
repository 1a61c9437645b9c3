/**
 * @file
 * What one node of a model graph costs and holds: its share of the terms of a step.
 */
#ifndef CASE_NODE_PRICE_H
#define CASE_NODE_PRICE_H

#include "stepscope/kernel.h"
#include "stepscope/model.h"

/**
 * Seconds of one node over all its layers in a figure. A term that stands for
 * several nodes is shared by their weights, by their number when they have none.
 *
 * @param kind index of the layer kind the nodes are of; -1: the head.
 */
double node_seconds(const struct ss_breakdown *breakdown, enum ss_figure figure, int kind,
		    const struct ss_node *nodes, size_t count, size_t index);

/** Weights of one node in one layer, before any sharding. */
double node_parameters(const struct ss_node *node);

#endif
