// CRC-32 (IEEE) of one message a work-item, by bits and by a table that the
// work-group builds in local memory.

kernel void crc32_bits(global const uchar *in, uint length, global uint *out)
{
	size_t g = get_global_id(0);
	uint crc = ~0u;
	for (uint i = 0; i < length; i++) {
		crc ^= in[g * length + i];
		for (int b = 0; b < 8; b++)
			crc = crc & 1 ? (crc >> 1) ^ 0xedb88320u : crc >> 1;
	}
	out[g] = ~crc;
}

kernel void crc32_table(global const uchar *in, uint length, global uint *out)
{
	local uint table[256];
	for (uint i = get_local_id(0); i < 256; i += get_local_size(0)) {
		uint c = i;
		for (int b = 0; b < 8; b++)
			c = (c >> 1) ^ (-(c & 1) & 0xedb88320u);
		table[i] = c;
	}
	barrier(CLK_LOCAL_MEM_FENCE);
	size_t g = get_global_id(0);
	uint crc = ~0u;
	for (uint i = 0; i < length; i++)
		crc = table[(crc ^ in[g * length + i]) & 0xff] ^ (crc >> 8);
	out[g] = ~crc;
}
