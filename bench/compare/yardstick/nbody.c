#include "yardstick.h"

// VECTORS is how many vectors are worked on by turns. The unit that divides and
// takes square roots is busy with two.
#define VECTORS 2

// nbody moves the bodies from begin to end, multiples of 16*VECTORS.
void nbody(const struct launch *l, size_t begin, size_t end)
{
	const float *body = l->arg[0];
	float *moved = l->arg[1], *velocity = l->arg[2];
	const uint32_t n = VALUE(uint32_t, l, 3);
	const __m512 dt = _mm512_set1_ps(VALUE(float, l, 4)), softening = _mm512_set1_ps(VALUE(float, l, 5));
	const __m512 one = _mm512_set1_ps(1);
	const __m512i fourth = _mm512_setr_epi32(0, 4, 8, 12, 16, 20, 24, 28, 32, 36, 40, 44, 48, 52, 56, 60);
	for (size_t i = begin; i < end; i += 16 * VECTORS) {
		__m512 me[VECTORS][4], a[VECTORS][3];
		for (int v = 0; v < VECTORS; v++) {
			for (int d = 0; d < 4; d++)
				me[v][d] = _mm512_i32gather_ps(fourth, body + 4 * (i + 16 * v) + d, 4);
			for (int d = 0; d < 3; d++)
				a[v][d] = _mm512_setzero_ps();
		}
		for (uint32_t j = 0; j < n; j++) {
			const float *other = body + 4 * (size_t)j;
#pragma clang loop unroll(full)
			for (int v = 0; v < VECTORS; v++) {
				const __m512 dx = _mm512_sub_ps(_mm512_set1_ps(other[0]), me[v][0]);
				const __m512 dy = _mm512_sub_ps(_mm512_set1_ps(other[1]), me[v][1]);
				const __m512 dz = _mm512_sub_ps(_mm512_set1_ps(other[2]), me[v][2]);
				__m512 r2 = _mm512_add_ps(_mm512_mul_ps(dx, dx), _mm512_mul_ps(dy, dy));
				r2 = _mm512_add_ps(_mm512_add_ps(r2, _mm512_mul_ps(dz, dz)), softening);
				const __m512 inv = _mm512_div_ps(one, _mm512_sqrt_ps(r2));
				__m512 f = _mm512_mul_ps(_mm512_set1_ps(other[3]), inv);
				f = _mm512_mul_ps(_mm512_mul_ps(f, inv), inv);
				a[v][0] = _mm512_add_ps(a[v][0], _mm512_mul_ps(f, dx));
				a[v][1] = _mm512_add_ps(a[v][1], _mm512_mul_ps(f, dy));
				a[v][2] = _mm512_add_ps(a[v][2], _mm512_mul_ps(f, dz));
			}
		}
		for (int v = 0; v < VECTORS; v++) {
			float *speed = velocity + 4 * (i + 16 * v), *place = moved + 4 * (i + 16 * v);
			for (int d = 0; d < 3; d++) {
				__m512 s = _mm512_i32gather_ps(fourth, speed + d, 4);
				s = _mm512_add_ps(s, _mm512_mul_ps(a[v][d], dt));
				_mm512_i32scatter_ps(speed + d, fourth, s, 4);
				_mm512_i32scatter_ps(place + d, fourth, _mm512_add_ps(me[v][d], _mm512_mul_ps(s, dt)), 4);
			}
			_mm512_i32scatter_ps(place + 3, fourth, me[v][3], 4);
		}
	}
}
