// Lanes copy in what their own group has written, each the element of another lane, behind a barrier.
//! run -global 16 -local 8 -arg undef:i32:16 -arg zero:i32:16
void load_async(const global void *src, local void *dst, uint size, uint offset, uint cpol) __asm("llvm.amdgcn.load.async.to.lds.p1");
void asyncmark(void) __asm("llvm.amdgcn.asyncmark");
void wait_asyncmark(ushort n) __asm("llvm.amdgcn.wait.asyncmark");
kernel void copy(global int *a, global int *out)
{
	local int tile[8];
	size_t l = get_local_id(0);
	a[get_global_id(0)] = 3;
	barrier(CLK_GLOBAL_MEM_FENCE);
	load_async(&a[get_group_id(0) * 8 + l], &tile[l / get_sub_group_size() * get_sub_group_size()], 4, 0, 0);
	asyncmark();
	wait_asyncmark(0);
	barrier(CLK_LOCAL_MEM_FENCE);
	out[get_global_id(0)] = tile[7 - l];
}
