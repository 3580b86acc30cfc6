// A bitonic sort with its barrier in the inner loop.
//! run -global 16 -local 16 -arg rand:u32:16:3
kernel void sort(global uint *data)
{
	local uint s[16];
	uint l = get_local_id(0);
	s[l] = data[l];
	for (uint k = 2; k <= 16; k *= 2)
		for (uint j = k / 2; j > 0; j /= 2) {
			barrier(CLK_LOCAL_MEM_FENCE);
			uint p = l ^ j;
			if (p > l) {
				uint a = s[l], b = s[p];
				if ((a > b) == ((l & k) == 0)) {
					s[l] = b;
					s[p] = a;
				}
			}
		}
	barrier(CLK_LOCAL_MEM_FENCE);
	data[l] = s[l];
}
