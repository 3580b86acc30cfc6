// The barrier is part of a macro for debugging, which is off.
//! run -global 16 -local 16 -arg iota:i32:16 -arg zero:i32:16
//! also E-UNINIT
#ifdef DEBUG
#define SYNC() barrier(CLK_LOCAL_MEM_FENCE)
#else
#define SYNC() ((void)0)
#endif
kernel void pairs(global const int *in, global int *out)
{
	local int tile[16];
	size_t l = get_local_id(0);
	tile[l] = in[l]; // find E-RACE
	SYNC();
	out[l] = tile[l] - tile[l ^ 1]; // find E-RACE
}
