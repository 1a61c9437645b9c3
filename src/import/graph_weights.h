/**
 * @file
 * What the weights of a graph come to, before any rank divides them.
 */
#ifndef GRAPH_WEIGHTS_H
#define GRAPH_WEIGHTS_H

#include <cjson/cJSON.h>

struct graph_weights {
	double parameters; /**< layers, routers, head and embedding; norms and biases are not */
	double bytes;      /**< the same, with the scales of 4-bit formats */
	double draft_parameters, draft_bytes;
	double other_parameters, other_bytes; /**< towers and tables */
};

void graph_weights_sum(struct graph_weights *out, const cJSON *graph);

#endif
