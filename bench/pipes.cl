// Packets of 4 bytes from one kernel to another: the numbers below n, which the
// reader adds up. pipes.spvasm has these kernels on a pipe of the program.
void __attribute__((overloadable)) __spirv_ReadPipeBlockingINTEL(read_only pipe uint p, uint *v, int size, int align);
void __attribute__((overloadable)) __spirv_WritePipeBlockingINTEL(write_only pipe uint p, const uint *v, int size, int align);

// By operations that wait until they can.
kernel void put(uint n, write_only pipe uint p)
{
	for (uint k = get_global_id(0); k < n; k += get_global_size(0))
		__spirv_WritePipeBlockingINTEL(p, &k, 4, 4);
}

kernel void take(uint n, global uint *sums, read_only pipe uint p)
{
	uint sum = 0;
	for (uint k = get_global_id(0); k < n; k += get_global_size(0)) {
		uint v;
		__spirv_ReadPipeBlockingINTEL(p, &v, 4, 4);
		sum += v;
	}
	sums[get_global_id(0)] = sum;
}

// By operations that are tried until they succeed.
kernel void try_put(uint n, write_only pipe uint p)
{
	for (uint k = get_global_id(0); k < n; k += get_global_size(0))
		while (write_pipe(p, &k) != 0)
			;
}

kernel void try_take(uint n, global uint *sums, read_only pipe uint p)
{
	uint sum = 0;
	for (uint k = get_global_id(0); k < n; k += get_global_size(0)) {
		uint v;
		while (read_pipe(p, &v) != 0)
			;
		sum += v;
	}
	sums[get_global_id(0)] = sum;
}

// By reservations of the whole work-group; n is a multiple of its size.
kernel void group_put(uint n, write_only pipe uint p)
{
	uint lid = get_local_id(0), size = get_local_size(0);
	for (uint k = lid; k < n; k += size) {
		reserve_id_t r;
		do
			r = work_group_reserve_write_pipe(p, size);
		while (!is_valid_reserve_id(r));
		write_pipe(p, r, lid, &k);
		work_group_commit_write_pipe(p, r);
	}
}

kernel void group_take(uint n, global uint *sums, read_only pipe uint p)
{
	uint lid = get_local_id(0), size = get_local_size(0), sum = 0;
	for (uint k = lid; k < n; k += size) {
		reserve_id_t r;
		do
			r = work_group_reserve_read_pipe(p, size);
		while (!is_valid_reserve_id(r));
		uint v;
		read_pipe(p, r, lid, &v);
		work_group_commit_read_pipe(p, r);
		sum += v;
	}
	sums[lid] = sum;
}

// A link of a chain: n packets from one pipe of the host to another, each
// increased by one.
kernel void relay(uint n, read_only pipe uint in, write_only pipe uint out)
{
	for (uint k = 0; k < n; k++) {
		uint v;
		__spirv_ReadPipeBlockingINTEL(in, &v, 4, 4);
		v++;
		__spirv_WritePipeBlockingINTEL(out, &v, 4, 4);
	}
}
