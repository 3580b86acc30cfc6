// Odd-even transposition in global memory, with the flag of global memory.
//! run -global 8 -local 8 -arg buf:i32:9,8,7,6,5,4,3,2,1,0,5,5,4,4,3,3
kernel void sort(global int *a)
{
	int l = get_local_id(0);
	for (int round = 0; round < 16; round++) {
		int i = 2 * l + round % 2;
		if (i + 1 < 16 && a[i] > a[i + 1]) {
			int t = a[i];
			a[i] = a[i + 1];
			a[i + 1] = t;
		}
		barrier(CLK_GLOBAL_MEM_FENCE);
	}
}
