// Search for a string in bytes: each work-item looks at a span of places, by
// skipping after Horspool, and the work-group agrees on the first place.
// lines: yes
// addressing: 32

kernel void strsearch(global const uchar *text, uint length, constant uchar *pattern, uint m,
                      uint span, global uint *count, global uint *first)
{
	local uchar skip[256];
	local uint found;
	for (uint i = get_local_id(0); i < 256; i += get_local_size(0)) {
		uchar s = (uchar)m;
		for (uint k = 0; k + 1 < m; k++)
			if (pattern[k] == i)
				s = (uchar)(m - 1 - k);
		skip[i] = s;
	}
	if (get_local_id(0) == 0)
		found = 0xffffffff;
	barrier(CLK_LOCAL_MEM_FENCE);
	uint at = (uint)get_global_id(0) * span;
	uint end = min(at + span, length - m + 1);
	uint n = 0;
	while (at < end) {
		uint k = m;
		while (k > 0 && text[at + k - 1] == pattern[k - 1])
			k--;
		if (k == 0) {
			n++;
			atomic_min(&found, at);
			at++;
			continue;
		}
		at += skip[text[at + m - 1]];
	}
	count[get_global_id(0)] = n;
	barrier(CLK_LOCAL_MEM_FENCE);
	if (get_local_id(0) == 0)
		first[get_group_id(0)] = found;
}
