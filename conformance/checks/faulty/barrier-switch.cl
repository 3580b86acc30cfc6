// A barrier in one case of a switch that only some work-items take.
//! run -global 8 -local 8 -arg zero:i32:8
kernel void cases(global int *out)
{
	size_t l = get_local_id(0);
	switch (l % 3) {
	case 0:
		out[l] = 5;
		break;
	case 1:
		barrier(CLK_GLOBAL_MEM_FENCE); // find E-BARRIERPART
		out[l] = 6;
		break;
	default:
		out[l] = 7;
	}
}
