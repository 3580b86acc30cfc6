// Barriers where compilers that turn work-groups into loops have gone wrong:
// in loops whose trip counts depend on data (but are the same for the whole
// work-group), behind conditions that are the same for the work-group, after
// breaks, several in a conditional, before an early return. Every kernel
// rotates values through local memory, so that a barrier too few or a statement
// executed once too often shows.
// lines: yes
// addressing: 32

// Two conditional barriers in two nested loops, a third one after them.
kernel void barrier_nested(global uint *out, local uint *s, int first, int second, int outer, int inner)
{
	uint l = get_local_id(0), n = get_local_size(0);
	uint v = l + 1;
	uint visits = 0;
	s[l] = v;
	for (int i = 0; i < outer; i++) {
		for (int j = 0; j < inner; j++) {
			visits++;
			if (second > first) {
				barrier(CLK_LOCAL_MEM_FENCE);
				v = v * 3 + s[(l + 1) % n];
			}
			if (first > 0) {
				barrier(CLK_LOCAL_MEM_FENCE);
				s[l] = v + (uint)(i * 10 + j);
			}
			barrier(CLK_LOCAL_MEM_FENCE);
		}
	}
	if (first > 0) {
		barrier(CLK_LOCAL_MEM_FENCE);
		v += s[n - 1 - l];
	}
	out[get_global_id(0)] = v * 16 + visits;
}

// A reduction whose loop begins with the barrier and whose body holds
// conditionals on the work-item, entered behind a bound on the global id that
// holds for whole work-groups only.
kernel void barrier_guarded(global const uint *in, global uint *out, local uint *s, uint n)
{
	uint l = get_local_id(0), size = get_local_size(0);
	uint g = get_group_id(0);
	if ((g + 1) * size > n)
		return;
	s[l] = in[get_global_id(0)] & 1;
	uint d = 1;
	while (d < size) {
		barrier(CLK_LOCAL_MEM_FENCE);
		uint i = 2 * d * l;
		if (i < size) {
			uint other = 1;
			if (i + d < size)
				other = s[i + d];
			s[i] = s[i] * 2 + other;
		}
		d *= 2;
	}
	if (l == 0)
		out[g] = s[0];
}

// A comb sort by the whole work-group: the trip count of the outer loop is
// decided by a flag in local memory that work-items set in the inner loop.
kernel void barrier_combsort(global int *data, local int *s, local int *swapped, uint n)
{
	uint l = get_local_id(0), size = get_local_size(0);
	uint base = get_group_id(0) * n;
	for (uint i = l; i < n; i += size)
		s[i] = data[base + i];
	uint gap = n;
	bool again = true;
	while (again) {
		gap = gap * 10 / 13;
		if (gap < 1)
			gap = 1;
		barrier(CLK_LOCAL_MEM_FENCE);
		if (l == 0)
			*swapped = 0;
		barrier(CLK_LOCAL_MEM_FENCE);
		// Pairs (i, i+gap) whose blocks of gap are even, then odd: no element is in two.
		for (uint parity = 0; parity < 2; parity++) {
			for (uint i = l; i + gap < n; i += size)
				if ((i / gap) % 2 == parity && s[i] > s[i + gap]) {
					int t = s[i];
					s[i] = s[i + gap];
					s[i + gap] = t;
					atomic_or(swapped, 1);
				}
			barrier(CLK_LOCAL_MEM_FENCE);
		}
		again = gap > 1 || *swapped != 0;
	}
	for (uint i = l; i < n; i += size)
		data[base + i] = s[i];
}

// A search in rounds that ends by break as soon as one work-item has found the
// value; the barrier after the break is another one than those in the loop.
kernel void barrier_break(global const uint *in, global uint *out, local uint *found, uint value, uint rounds)
{
	uint l = get_local_id(0), n = get_local_size(0);
	uint r;
	if (l == 0)
		*found = 0xffffffff;
	barrier(CLK_LOCAL_MEM_FENCE);
	for (r = 0; r < rounds; r++) {
		uint i = (get_group_id(0) * rounds + r) * n + l;
		if (in[i] == value)
			atomic_min(found, i);
		barrier(CLK_LOCAL_MEM_FENCE);
		if (*found != 0xffffffff)
			break;
		barrier(CLK_LOCAL_MEM_FENCE);
	}
	uint at = *found;
	barrier(CLK_LOCAL_MEM_FENCE);
	if (l == 0)
		*found = r;
	barrier(CLK_LOCAL_MEM_FENCE);
	out[get_global_id(0)] = at ^ (*found << 16);
}

// Several barriers in both arms of a conditional, chosen by data that is the
// same for the work-group and differs between work-groups.
kernel void barrier_arms(global const uint *mode, global uint *out, local uint *s)
{
	uint l = get_local_id(0), n = get_local_size(0);
	uint m = mode[get_group_id(0)];
	s[l] = l * l;
	if (m & 1) {
		barrier(CLK_LOCAL_MEM_FENCE);
		uint a = s[(l + 1) % n];
		barrier(CLK_LOCAL_MEM_FENCE);
		s[l] = a + 100;
		barrier(CLK_LOCAL_MEM_FENCE);
	} else if (m & 2) {
		barrier(CLK_LOCAL_MEM_FENCE);
		uint a = s[n - 1 - l];
		barrier(CLK_LOCAL_MEM_FENCE);
		s[(l + 3) % n] = a + 200;
		barrier(CLK_LOCAL_MEM_FENCE);
		if (m & 4) {
			a = s[l ^ 1];
			barrier(CLK_LOCAL_MEM_FENCE);
			s[l] = a * 2;
			barrier(CLK_LOCAL_MEM_FENCE);
		}
	} else {
		barrier(CLK_LOCAL_MEM_FENCE);
	}
	out[get_global_id(0)] = s[(l + 2) % n];
}

// A barrier, then an early return of some work-items, and no barrier after it.
kernel void barrier_return(global const uint *in, global uint *out, local uint *s)
{
	uint l = get_local_id(0), n = get_local_size(0);
	size_t g = get_global_id(0);
	s[l] = in[g];
	barrier(CLK_LOCAL_MEM_FENCE);
	if (s[(l + 1) % n] & 1) {
		out[g] = 7;
		return;
	}
	uint sum = 0;
	for (uint i = 0; i <= l; i++) {
		if (s[i] == 3)
			continue;
		sum += s[i];
	}
	out[g] = sum;
}

// A loop whose trip count comes from memory and differs between work-groups,
// with values that live across the barrier in every work-item.
kernel void barrier_trips(global const uint *trips, global uint *out, local uint *s)
{
	uint l = get_local_id(0), n = get_local_size(0);
	uint a = l, b = 1;
	for (uint t = trips[get_group_id(0)]; t != 0; t--) {
		s[l] = a + b;
		barrier(CLK_LOCAL_MEM_FENCE);
		uint c = s[(l + t) % n];
		if (c % 3 == 0)
			b += 2;
		a = c + a;
		barrier(CLK_LOCAL_MEM_FENCE);
	}
	out[get_global_id(0)] = a * 1000 + b;
}

// Barriers in functions, called from a switch whose selector is the same for
// the work-group, inside a do loop.
static uint turn(local uint *s, uint by)
{
	uint l = get_local_id(0), n = get_local_size(0);
	barrier(CLK_LOCAL_MEM_FENCE);
	uint v = s[(l + by) % n];
	barrier(CLK_LOCAL_MEM_FENCE);
	s[l] = v;
	return v;
}

static uint fold(local uint *s)
{
	uint n = get_local_size(0);
	uint v = 0;
	for (uint k = 0; k < n; k++) {
		v = v * 5 + turn(s, k);
		if (k == 3)
			break;
	}
	return v;
}

kernel void barrier_calls(global const uchar *program, global uint *out, local uint *s)
{
	uint l = get_local_id(0);
	uint pc = get_group_id(0) * 8;
	uint acc = 0;
	s[l] = (uint)get_global_id(0) * 7 + 1;
	uchar op;
	do {
		op = program[pc++];
		switch (op) {
		case 1:
			acc += turn(s, 1);
			break;
		case 2:
			acc ^= fold(s);
			break;
		case 3:
			acc = acc * 2 + turn(s, 5);
			/* fall through */
		case 4:
			acc += turn(s, 2);
			break;
		default:
			break;
		}
	} while (op != 0);
	out[get_global_id(0)] = acc;
}

// A barrier inside a bounds check that holds for all, and one more check of the
// same bound after it: work-items seem to part and do not.
kernel void barrier_bounds(global ulong *out, ulong n, local uint *failures)
{
	size_t i = get_global_id(0);
	if (get_local_id(0) == 0)
		*failures = 0;
	barrier(CLK_LOCAL_MEM_FENCE);
	if (i < n) {
		barrier(CLK_LOCAL_MEM_FENCE);
		if (i >= n) {
			atomic_inc(failures);
			out[0] = 99;
			return;
		}
		out[i] = i * 3 + 1 + *failures;
	}
}

// Stores after the last barrier that must not move before it, with lane 0
// reading between the barriers.
kernel void barrier_store(global const uint *in, global uint *out, local uint *s)
{
	uint l = get_local_id(0), n = get_local_size(0);
	s[l] = in[get_global_id(0)];
	barrier(CLK_LOCAL_MEM_FENCE);
	if (l == 0) {
		uint sum = 0;
		for (uint i = 0; i < n; i++)
			sum = sum * 3 + s[i];
		out[get_group_id(0) * (n + 1)] = sum;
	}
	barrier(CLK_LOCAL_MEM_FENCE);
	if (l > 0)
		s[l] = l;
	out[get_group_id(0) * (n + 1) + 1 + l] = s[l];
}

// A private array that lives across the barriers of a loop, its elements added
// to places in global memory that move on by one each time.
kernel void barrier_private(global const uint *in, global uint *out)
{
	uint l = get_local_id(0);
	uint base = get_group_id(0) * 8;
	uint p[8];
	for (uint j = 0; j < 8; j++)
		p[j] = in[get_global_id(0)] * (j + 1) + l;
	for (uint j = 0; j < 8; j++) {
		uint k = (j + l) % 8;
		out[base + k] = out[base + k] * 3 + p[j];
		p[k] ^= j;
		barrier(CLK_GLOBAL_MEM_FENCE);
	}
}
