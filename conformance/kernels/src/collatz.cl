// Lengths of Collatz sequences over a range for each work-item, with nested
// loops, break, continue and switch.

kernel void collatz(global uint *longest, global uint *start, uint span, uint limit)
{
	uint first = (uint)get_global_id(0) * span;
	uint best = 0, best_at = 0;
	for (uint k = 0; k < span; k++) {
		ulong n = first + k;
		uint steps = 0;
		switch (n) {
		case 0:
			continue;
		case 1:
		case 2:
			steps = (uint)n - 1;
			break;
		default:
			for (;;) {
				if (n == 1)
					break;
				if (steps >= limit)
					goto next;
				switch (n & 3) {
				case 0:
					n >>= 2;
					steps += 2;
					continue;
				case 2:
					n >>= 1;
					steps++;
					break;
				case 1:
				case 3:
					n = 3 * n + 1;
					steps++;
					while ((n & 1) == 0 && steps < limit) {
						n >>= 1;
						steps++;
					}
					break;
				}
			}
		}
		if (steps > best) {
			best = steps;
			best_at = first + k;
		}
	next:;
	}
	longest[get_global_id(0)] = best;
	start[get_global_id(0)] = best_at;
}
