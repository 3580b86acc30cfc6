// A producer and a consumer with a compressor in between: work-groups hand
// whole stretches of bytes on through reservations, a single work-item finds the
// runs in them, and what it finds is stored, all at the same time.
//
//	input -> produce -> bytes -> compress -> runs -> store -> output
#define WIDTH 64

// A run is a byte and how often it stands there; a length of 0 is the end.
typedef struct {
	uchar value;
	ushort length;
} run_t;

void __attribute__((overloadable)) __spirv_ReadPipeBlockingINTEL(read_only pipe uchar p, uchar *v, int size, int align);
void __attribute__((overloadable)) __spirv_ReadPipeBlockingINTEL(read_only pipe run_t p, run_t *v, int size, int align);
void __attribute__((overloadable)) __spirv_WritePipeBlockingINTEL(write_only pipe run_t p, const run_t *v, int size, int align);

// Each turn of the work-group puts WIDTH bytes into the pipe at once, or the
// rest of them, in the order of its work-items.
kernel __attribute__((reqd_work_group_size(WIDTH, 1, 1)))
void produce(global const uchar *input, uint n, write_only pipe uchar bytes)
{
	uint lid = get_local_id(0);
	for (uint first = 0; first < n; first += WIDTH) {
		uint count = min(n - first, (uint)WIDTH);
		reserve_id_t r;
		do
			r = work_group_reserve_write_pipe(bytes, count);
		while (!is_valid_reserve_id(r));
		if (lid < count)
			write_pipe(bytes, r, lid, input + first + lid);
		work_group_commit_write_pipe(bytes, r);
	}
}

kernel void compress(read_only pipe uchar bytes, uint n, write_only pipe run_t runs)
{
	run_t run = {0, 0};
	for (uint i = 0; i < n; i++) {
		uchar v;
		__spirv_ReadPipeBlockingINTEL(bytes, &v, sizeof v, sizeof v);
		if (run.length > 0 && (v != run.value || run.length == USHRT_MAX)) {
			__spirv_WritePipeBlockingINTEL(runs, &run, sizeof run, 2);
			run.length = 0;
		}
		run.value = v;
		run.length++;
	}
	if (run.length > 0)
		__spirv_WritePipeBlockingINTEL(runs, &run, sizeof run, 2);
	run.length = 0;
	__spirv_WritePipeBlockingINTEL(runs, &run, sizeof run, 2);
}

// Stores the runs one after the other, two numbers each, and how many there are
// into *count.
kernel void store(read_only pipe run_t runs, global ushort2 *output, global uint *count)
{
	uint i = 0;
	for (;; i++) {
		run_t run;
		__spirv_ReadPipeBlockingINTEL(runs, &run, sizeof run, 2);
		if (run.length == 0)
			break;
		output[i] = (ushort2)(run.value, run.length);
	}
	*count = i;
}
