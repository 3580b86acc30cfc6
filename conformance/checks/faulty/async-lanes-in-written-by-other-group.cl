// Lanes copy in what another group writes.
//! run -global 16 -local 8 -arg zero:i32:16 -arg zero:i32:16
void load_async(const global void *src, local void *dst, uint size, uint offset, uint cpol) __asm("llvm.amdgcn.load.async.to.lds.p1");
void asyncmark(void) __asm("llvm.amdgcn.asyncmark");
void wait_asyncmark(ushort n) __asm("llvm.amdgcn.wait.asyncmark");
kernel void copy(global int *a, global int *out)
{
	local int tile[8];
	size_t l = get_local_id(0);
	if (get_group_id(0) == 0)
		a[get_local_id(0)] = 3; // find E-RACE
	barrier(CLK_GLOBAL_MEM_FENCE);
	load_async(&a[l], &tile[l / get_sub_group_size() * get_sub_group_size()], 4, 0, 0); // find E-RACE
	asyncmark();
	wait_asyncmark(0);
	barrier(CLK_LOCAL_MEM_FENCE);
	out[get_global_id(0)] = tile[l];
}
