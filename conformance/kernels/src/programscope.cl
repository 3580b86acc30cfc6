// Program-scope constants, and program-scope variables of OpenCL C 2.0 with
// initial values.
// addressing: 32

constant int primes[8] = {2, 3, 5, 7, 11, 13, 17, 19};
constant struct {
	char letter;
	float weight;
	int2 pair;
} table[3] = {{'a', 1.5f, (int2)(1, 2)}, {'b', -2.25f, (int2)(3, 4)}, {'c', 1e-3f, (int2)(5, 6)}};
constant int *constant chosen[2] = {primes + 2, &primes[5]};
constant uchar text[] = "lockstep";

kernel void constants(global const uint *in, global int *out)
{
	size_t i = get_global_id(0);
	uint v = in[i];
	int r = primes[v & 7];
	r += table[v % 3].pair.y * table[v % 3].letter;
	r ^= chosen[v & 1][v % 3];
	r = r * 16 + text[v & 7];
	out[i] = r + (int)(table[(v >> 4) % 3].weight * 100.0f);
}

global uint counter = 100;
global uint history[4] = {1, 2, 3};
global uint *global cursor = history + 1;

// One work-group: the variables change and keep what they got.
kernel void variables(global uint *out)
{
	uint l = get_local_id(0);
	atomic_add((volatile global int *)&counter, (int)l);
	if (l < 4)
		history[l] += l * 10;
	barrier(CLK_GLOBAL_MEM_FENCE);
	out[l] = counter * 1000 + history[l & 3] + *cursor;
}
