// A bitonic sort with the barrier in the outer loop only.
//! run -global 16 -local 16 -arg rand:u32:16:3
kernel void sort(global uint *data)
{
	local uint s[16];
	uint l = get_local_id(0);
	s[l] = data[l];
	for (uint k = 2; k <= 16; k *= 2) {
		barrier(CLK_LOCAL_MEM_FENCE);
		for (uint j = k / 2; j > 0; j /= 2) {
			uint p = l ^ j;
			if (p > l) {
				uint a = s[l], b = s[p]; // find E-RACE
				if ((a > b) == ((l & k) == 0)) {
					s[l] = b; // find E-RACE
					s[p] = a; // find E-RACE
				}
			}
		}
	}
	barrier(CLK_LOCAL_MEM_FENCE);
	data[l] = s[l];
}
