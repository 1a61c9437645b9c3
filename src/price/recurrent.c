#include "price/recurrent.h"

/** Width of a mamba2 head. */
static double head_width(const struct recurrent_shape *s)
{
	return s->heads > 0 ? (double)s->inner / (double)s->heads : 0;
}

static double per_rank(double bytes, int64_t tp)
{
	return bytes / (double)(tp > 1 ? tp : 1);
}

double recurrent_scan_flops(const struct recurrent_shape *s)
{
	double d = (double)s->state;

	switch (s->kind) {
	case SS_RECURRENT_KDA:
	case SS_RECURRENT_GDN:
		return 4 * RECURRENT_CHUNK * d + 4 * d * d;
	case SS_RECURRENT_MAMBA2:
		return 2 * RECURRENT_CHUNK * head_width(s) + 4 * head_width(s) * d;
	case SS_RECURRENT_UNKNOWN:
	case SS_RECURRENT_COUNT:
		break;
	}
	return 0;
}

double recurrent_state_bytes(const struct recurrent_shape *s, double state_width, int64_t tp)
{
	double d = (double)s->state;

	switch (s->kind) {
	case SS_RECURRENT_KDA:
	case SS_RECURRENT_GDN:
		return per_rank((double)s->heads * d * d * state_width, tp);
	case SS_RECURRENT_MAMBA2:
		return per_rank((double)s->inner * d * state_width, tp);
	case SS_RECURRENT_UNKNOWN:
	case SS_RECURRENT_COUNT:
		break;
	}
	return 0;
}

/** Channels the convolution runs over. */
static double conv_channels(const struct recurrent_shape *s)
{
	switch (s->kind) {
	case SS_RECURRENT_KDA:
		return 3 * (double)s->heads * (double)s->state; /* query, key and value */
	case SS_RECURRENT_GDN:
		return (double)s->inner;
	case SS_RECURRENT_MAMBA2:
		return (double)s->inner + 2 * (double)s->groups * (double)s->state;
	case SS_RECURRENT_UNKNOWN:
	case SS_RECURRENT_COUNT:
		break;
	}
	return 0;
}

double recurrent_conv_bytes(const struct recurrent_shape *s, double conv_width, int64_t spec,
			    int64_t tp)
{
	if (s->conv_kernel <= 0)
		return 0;
	return per_rank(conv_channels(s) * (double)(s->conv_kernel - 1 + spec) * conv_width, tp);
}
