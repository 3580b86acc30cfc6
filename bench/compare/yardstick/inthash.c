#include "yardstick.h"

// VECTORS is how many vectors are worked on by turns: a product takes ten
// cycles, and the next one needs it.
#define VECTORS 8

// inthash hashes the elements from begin to end, multiples of 16*VECTORS.
void inthash(const struct launch *l, size_t begin, size_t end)
{
	const uint32_t *in = l->arg[0];
	uint32_t *out = l->arg[1];
	const uint32_t rounds = VALUE(uint32_t, l, 2);
	const __m512i c1 = _mm512_set1_epi32(0x7feb352d), c2 = _mm512_set1_epi32((int)0x846ca68bu);
	for (size_t i = begin; i < end; i += 16 * VECTORS) {
		__m512i x[VECTORS];
		for (int v = 0; v < VECTORS; v++)
			x[v] = _mm512_loadu_si512(in + i + 16 * v);
		for (uint32_t r = 0; r < rounds; r++) {
			const __m512i turn = _mm512_set1_epi32((int)r);
#pragma clang loop unroll(full)
			for (int v = 0; v < VECTORS; v++) {
				__m512i h = x[v];
				h = _mm512_xor_si512(h, _mm512_srli_epi32(h, 16));
				h = _mm512_mullo_epi32(h, c1);
				h = _mm512_xor_si512(h, _mm512_srli_epi32(h, 15));
				h = _mm512_mullo_epi32(h, c2);
				h = _mm512_xor_si512(h, _mm512_srli_epi32(h, 16));
				x[v] = _mm512_add_epi32(h, turn);
			}
		}
		for (int v = 0; v < VECTORS; v++)
			_mm512_storeu_si512(out + i + 16 * v, x[v]);
	}
}
