// A work-item that has found its element leaves the loop, whose barrier the others wait at.
//! run -global 8 -local 8 -arg iota:i32:8 -arg zero:i32:8
kernel void search(global const int *in, global int *out)
{
	size_t l = get_local_id(0);
	for (int i = 0; i < 8; i++) {
		if (in[l] == i) {
			out[l] = i;
			break;
		}
		barrier(CLK_GLOBAL_MEM_FENCE); // find E-BARRIERPART
	}
}
