/* SHA-256 (FIPS 180-4), to say which bytes a document was read from. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "stepscope/registry.h"

#define ROUNDS 64
#define BLOCK 64

/* clang-format off */
/* the cube roots of the first 64 primes, their fractions' first 32 bits */
static const uint32_t constants[ROUNDS] = {
	0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
	0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
	0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
	0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
	0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
	0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
	0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
	0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
};
/* clang-format on */

static uint32_t turn(uint32_t x, int by)
{
	return (x >> by) | (x << (32 - by));
}

/** One round; its eight words stand one place further for the next, where they are. */
static inline void take_round(uint32_t a, uint32_t b, uint32_t c, uint32_t *d, uint32_t e,
			      uint32_t f, uint32_t g, uint32_t *h, uint32_t word)
{
	*h += (turn(e, 6) ^ turn(e, 11) ^ turn(e, 25)) + (g ^ (e & (f ^ g))) + word;
	*d += *h;
	*h += (turn(a, 2) ^ turn(a, 13) ^ turn(a, 22)) + ((a & b) | (c & (a | b)));
}

static void take_block(uint32_t state[8], const unsigned char *bytes)
{
	uint32_t w[ROUNDS], s[8];

	for (int i = 0; i < 16; i++)
		w[i] = (uint32_t)bytes[4 * i] << 24 | (uint32_t)bytes[4 * i + 1] << 16 |
		       (uint32_t)bytes[4 * i + 2] << 8 | (uint32_t)bytes[4 * i + 3];
	for (int i = 16; i < ROUNDS; i++) {
		uint32_t a = w[i - 15], b = w[i - 2];

		w[i] = w[i - 16] + (turn(a, 7) ^ turn(a, 18) ^ (a >> 3)) + w[i - 7] +
		       (turn(b, 17) ^ turn(b, 19) ^ (b >> 10));
	}
	for (int i = 0; i < ROUNDS; i++)
		w[i] += constants[i];
	memcpy(s, state, sizeof(s));
	for (int i = 0; i < ROUNDS; i += 8) {
		const uint32_t *at = w + i;

		take_round(s[0], s[1], s[2], &s[3], s[4], s[5], s[6], &s[7], at[0]);
		take_round(s[7], s[0], s[1], &s[2], s[3], s[4], s[5], &s[6], at[1]);
		take_round(s[6], s[7], s[0], &s[1], s[2], s[3], s[4], &s[5], at[2]);
		take_round(s[5], s[6], s[7], &s[0], s[1], s[2], s[3], &s[4], at[3]);
		take_round(s[4], s[5], s[6], &s[7], s[0], s[1], s[2], &s[3], at[4]);
		take_round(s[3], s[4], s[5], &s[6], s[7], s[0], s[1], &s[2], at[5]);
		take_round(s[2], s[3], s[4], &s[5], s[6], s[7], s[0], &s[1], at[6]);
		take_round(s[1], s[2], s[3], &s[4], s[5], s[6], s[7], &s[0], at[7]);
	}
	for (int i = 0; i < 8; i++)
		state[i] += s[i];
}

void ss_sha256(char out[SS_SHA256_SIZE], const void *bytes, size_t length)
{
	/* the square roots of the first eight primes, likewise */
	uint32_t state[8] = { 0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
			      0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19 };
	const unsigned char *at = bytes;
	unsigned char last[2 * BLOCK] = { 0 };
	size_t whole = length / BLOCK * BLOCK, rest = length - whole;
	size_t end = rest + 9 <= BLOCK ? BLOCK : sizeof(last);
	uint64_t bits = (uint64_t)length * 8;

	for (size_t i = 0; i < whole; i += BLOCK)
		take_block(state, at + i);
	if (rest)
		memcpy(last, at + whole, rest);
	last[rest] = 0x80;
	for (int i = 0; i < 8; i++)
		last[end - 1 - (size_t)i] = (unsigned char)(bits >> (8 * i));
	for (size_t i = 0; i < end; i += BLOCK)
		take_block(state, last + i);
	for (int i = 0; i < 8; i++)
		(void)snprintf(out + 8 * i, 9, "%08x", (unsigned)state[i]);
}
