#include "yardstick.h"

// ROWS is how many vectors are worked on by turns, one above the other: the
// points of a compact tile leave the loop at about the same time.
#define ROWS 4

// mandelbrot computes the rows from begin to end, multiples of ROWS; the width
// is a multiple of 16.
void mandelbrot(const struct launch *l, size_t begin, size_t end)
{
	int32_t *out = l->arg[0];
	const int32_t limit = VALUE(int32_t, l, 1);
	const float x0 = VALUE(float, l, 2), y0 = VALUE(float, l, 3);
	const float dx = VALUE(float, l, 4), dy = VALUE(float, l, 5);
	const size_t width = l->global[0];
	const __m512 four = _mm512_set1_ps(4), two = _mm512_set1_ps(2);
	const __m512 lane = _mm512_setr_ps(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
	const __m512i one = _mm512_set1_epi32(1);
	for (size_t py = begin; py < end; py += ROWS)
		for (size_t px = 0; px < width; px += 16) {
			const __m512 column = _mm512_add_ps(_mm512_set1_ps((float)px), lane);
			const __m512 cx = _mm512_add_ps(_mm512_set1_ps(x0), _mm512_mul_ps(_mm512_set1_ps(dx), column));
			__m512 cy[ROWS], x[ROWS], y[ROWS];
			__m512i n[ROWS];
			__mmask16 in[ROWS];
			for (int v = 0; v < ROWS; v++) {
				cy[v] = _mm512_set1_ps(y0 + dy * (float)(py + v));
				x[v] = y[v] = _mm512_setzero_ps();
				n[v] = _mm512_setzero_si512();
				in[v] = 0xffff;
			}
			for (int32_t turn = 0; turn < limit; turn++) {
				__mmask16 any = 0;
#pragma clang loop unroll(full)
				for (int v = 0; v < ROWS; v++) {
					const __m512 xx = _mm512_mul_ps(x[v], x[v]);
					const __m512 yy = _mm512_mul_ps(y[v], y[v]);
					in[v] = _mm512_mask_cmp_ps_mask(in[v], _mm512_add_ps(xx, yy), four, _CMP_NGT_UQ);
					n[v] = _mm512_mask_add_epi32(n[v], in[v], n[v], one);
					y[v] = _mm512_add_ps(_mm512_mul_ps(_mm512_mul_ps(two, x[v]), y[v]), cy[v]);
					x[v] = _mm512_add_ps(_mm512_sub_ps(xx, yy), cx);
					any |= in[v];
				}
				if (!any)
					break;
			}
			for (int v = 0; v < ROWS; v++)
				_mm512_storeu_si512(out + (py + v) * width + px, n[v]);
		}
}
