// What clang makes of asynchronous copies; lowered by TestAsyncClang.

typedef ulong dma_event; // a type of one's own, as __mux_dma_event_t may be
dma_event __mux_dma_read_1D(local void *dst, const global void *src, size_t width, dma_event event);
dma_event __mux_dma_write_2D(global void *dst, const local void *src, size_t width, size_t dst_stride, size_t src_stride,
    size_t height, dma_event event);
void __mux_dma_wait(int n, dma_event *events);

void load_lds(const global void *src, local void *dst, int size, int offset, int cpol) __asm("llvm.amdgcn.load.async.to.lds.p1");
void asyncmark(void) __asm("llvm.amdgcn.asyncmark");
void wait_asyncmark(ushort n) __asm("llvm.amdgcn.wait.asyncmark");

kernel void events(global float3 *g, local float3 *l) {
	event_t e[2];
	e[0] = async_work_group_copy(l, g, 16, 0);
	e[1] = async_work_group_strided_copy(l + 16, g + 16, 16, 3, 0);
	wait_group_events(2, e);
	event_t last = async_work_group_strided_copy((global half *)g, (local half *)l, 16, 5, 0);
	last = async_work_group_copy((global uchar *)g, (local uchar *)l, 16, last);
	wait_group_events(1, &last);
	prefetch(g, 4);
}

kernel void boxes(global uint *g, local uint *l) {
	dma_event e = __mux_dma_read_1D(l, g, 64, 0);
	__mux_dma_wait(1, &e);
	e = __mux_dma_write_2D(g, l, 32, 128, 36, 8, e);
	__mux_dma_wait(1, &e);
}

kernel void unknown(global int *g, local int *l, int n) {
	event_t e[3];
	e[0] = e[1] = e[2] = async_work_group_copy(l, g, 16, 0);
	wait_group_events(n, e);
}

__attribute__((noinline)) static void block(const global int *g, local int *l) {
	load_lds(g, l, 4, 0, 0);
	load_lds(g, l, 4, 256, 0);
	asyncmark();
	asyncmark();
	wait_asyncmark(1);
	asyncmark();
}

kernel void lanes(const global int *g, local int *l) {
	wait_asyncmark(0);
	load_lds(g, l, 16, 0, 0);
	asyncmark();
	block(g, l);
	wait_asyncmark(0);
}
