// Control flow that no loop and no conditional spells: jumps into loops,
// crossing loops, a state machine of labels.

kernel void irreducible(global const uint *in, global uint *out, uint limit)
{
	size_t i = get_global_id(0);
	uint v = in[i];
	uint steps = 0, trace = 1;
	if (v & 1)
		goto second;
first:
	trace = trace * 3 + 1;
	v = v / 2 + 3;
	if (++steps >= limit)
		goto done;
	if (v & 4)
		goto third;
second:
	trace = trace * 3 + 2;
	v = v * 5 + 1;
	if (++steps >= limit)
		goto done;
	if (v & 8)
		goto first;
third:
	trace = trace * 3;
	v ^= v >> 3;
	if (++steps >= limit)
		goto done;
	if (v & 16)
		goto second;
	if (v & 32)
		goto first;
	if (v & 3)
		goto third;
done:
	out[i] = trace ^ v;
}

// A stack machine with one program a work-item.
kernel void machine(global const uchar *programs, uint length, global int *out)
{
	size_t i = get_global_id(0);
	global const uchar *code = programs + i * length;
	uint stack[8];
	uint sp = 0, pc = 0, fuel = 200;
	uint acc = (uint)i;
next:
	if (pc >= length || fuel-- == 0)
		goto halt;
	switch (code[pc++] & 7) {
	case 0:
		goto push;
	case 1:
		goto pop;
	case 2:
		acc = acc * 3 + 1;
		acc &= 0xffff;
		goto next;
	case 3:
		if (acc & 1)
			goto jump;
		goto next;
	case 4:
		acc ^= pc << 4;
		goto next;
	case 5:
		if (sp == 0)
			goto push;
		acc -= stack[sp - 1];
		goto next;
	case 6:
		acc = -acc;
		goto next;
	default:
		goto jump;
	}
push:
	if (sp < 8)
		stack[sp++] = acc;
	goto next;
pop:
	if (sp > 0)
		acc += stack[--sp];
	acc = (acc << 1) & 0xffff;
	goto next;
jump:
	if (pc < length)
		pc = (pc + code[pc]) % length;
	goto next;
halt:
	out[i] = (int)(acc * 16 + sp);
}
