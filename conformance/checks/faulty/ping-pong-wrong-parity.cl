// Life on a ring in two local buffers; the last read takes the buffer that is being written.
//! run -global 8 -local 8 -arg buf:i32:0,1,1,0,1,0,0,1 -arg zero:i32:8
kernel void life(global const int *in, global int *out)
{
	local int cell[2][8];
	size_t l = get_local_id(0);
	cell[0][l] = in[l];
	cell[1][l] = in[l];
	barrier(CLK_LOCAL_MEM_FENCE);
	for (int t = 0; t < 4; t++) {
		int left = cell[t % 2][(l + 7) % 8];
		int right = cell[(t + 1) % 2][(l + 1) % 8]; // find E-RACE
		cell[(t + 1) % 2][l] = left ^ right; // find E-RACE
		barrier(CLK_LOCAL_MEM_FENCE);
	}
	out[l] = cell[0][l];
}
