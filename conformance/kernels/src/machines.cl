// Machines and searches: interpreters, random numbers, queens on a board.

// A machine with a stack; all work-items run one program, each with a number of its own.
kernel void stack_machine(global const uchar *program, global const int *input, global int *output, int limit)
{
	int stack[16], sp = 0, pc = 0;
	int x = input[get_global_id(0)];
	while (limit-- > 0) {
		uchar op = program[pc++];
		switch (op) {
		case 0: stack[sp++] = x; break;
		case 1: stack[sp++] = (char)program[pc++]; break;
		case 2: sp--; stack[sp - 1] += stack[sp]; break;
		case 3: sp--; stack[sp - 1] -= stack[sp]; break;
		case 4: sp--; stack[sp - 1] *= stack[sp]; break;
		case 5: stack[sp] = stack[sp - 1]; sp++; break;
		case 6: { int t = stack[sp - 1]; stack[sp - 1] = stack[sp - 2]; stack[sp - 2] = t; break; }
		case 7: stack[sp - 1] >>= 1; break;
		case 8: stack[sp - 1] &= 1; break;
		case 9: if (stack[--sp]) pc = program[pc]; else pc++; break;
		case 10: pc = program[pc]; break;
		case 11: x = stack[--sp]; break;
		default: limit = 0; break;
		}
	}
	output[get_global_id(0)] = x + (sp > 0 ? stack[sp - 1] : 0);
}

// A machine with registers; each work-item runs a program of its own.
kernel void register_machine(global const uint *programs, global uint *state, int length, int steps)
{
	size_t id = get_global_id(0);
	uint r[8];
	for (int i = 0; i < 8; i++)
		r[i] = state[8 * id + i];
	int pc = 0;
	for (int n = 0; n < steps; n++) {
		uint in = programs[id * length + pc];
		uint a = in >> 4 & 7, b = in >> 8 & 7, d = in >> 12 & 7;
		pc++;
		switch (in & 7) {
		case 0: r[d] = r[a] + r[b]; break;
		case 1: r[d] = r[a] ^ r[b]; break;
		case 2: r[d] = r[a] * (r[b] | 1); break;
		case 3: r[d] = rotate(r[a], r[b]); break;
		case 4: r[d] = in >> 16; break;
		case 5: r[d] = r[a] < r[b] ? r[a] : r[b]; break;
		case 6: if (r[a] & 1) pc += in >> 16 & 3; break;
		case 7: if (r[a] > r[b]) pc = in >> 16; break;
		}
		pc = pc % length;
	}
	for (int i = 0; i < 8; i++)
		state[8 * id + i] = r[i];
}

kernel void xoshiro(global const ulong4 *state, global ulong *out, uint count)
{
	uint id = get_global_id(0), n = get_global_size(0);
	ulong4 s = state[id];
	for (uint i = 0; i < count; i++) {
		out[i * n + id] = rotate(s.y * 5, 7ul) * 9;
		ulong t = s.y << 17;
		s.z ^= s.x;
		s.w ^= s.y;
		s.y ^= s.z;
		s.x ^= s.w;
		s.z ^= t;
		s.w = rotate(s.w, 45ul);
	}
}

// The ways to complete a board of n queens whose first rows are given, by going back.
kernel void queens(global const ushort *places, global uint *ways, int n)
{
	uint columns[12], left[12], right[12], free[12];
	uint all = (1u << n) - 1, count = 0;
	ushort place = places[get_global_id(0)];
	uint a = 1u << place % n, b = 1u << place / n % n;
	if (a == b || a == b << 1 || a == b >> 1) {
		ways[get_global_id(0)] = 0;
		return;
	}
	int row = 2;
	columns[2] = a | b;
	left[2] = (a << 2 | b << 1) & all;
	right[2] = a >> 2 | b >> 1;
	free[2] = all & ~(columns[2] | left[2] | right[2]);
	while (row >= 2) {
		uint bit = free[row] & -free[row];
		if (bit == 0) {
			row--;
			continue;
		}
		free[row] ^= bit;
		if (row == n - 1) {
			count++;
			continue;
		}
		columns[row + 1] = columns[row] | bit;
		left[row + 1] = (left[row] | bit) << 1 & all;
		right[row + 1] = (right[row] | bit) >> 1;
		row++;
		free[row] = all & ~(columns[row] | left[row] | right[row]);
	}
	ways[get_global_id(0)] = count;
}
