// Each branch has a barrier of its own. They are two barriers, not one.
//! run -global 8 -local 8 -arg zero:i32:8
kernel void branches(global int *out)
{
	if (get_local_id(0) % 2) {
		out[get_local_id(0)] = 1;
		barrier(CLK_GLOBAL_MEM_FENCE); // find E-BARRIER
	} else {
		out[get_local_id(0)] = 2;
		barrier(CLK_GLOBAL_MEM_FENCE); // find E-BARRIER
	}
}
