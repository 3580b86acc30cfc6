// Genomes and text: alignment, approximate matching, counts of words, records and automata.

#define READ 24

// The best local alignment of a read of 24 letters with a piece of a longer text; gaps cost 2, other letters 1.
kernel void smith_waterman(global const char *reads, global const char *text, global int *best, int length)
{
	int id = get_global_id(0);
	global const char *read = reads + READ * id;
	global const char *t = text + (id & 63) * 8;
	short row[READ + 1];
	for (int i = 0; i <= READ; i++)
		row[i] = 0;
	int top = 0;
	for (int k = 0; k < length; k++) {
		char letter = *t++;
		short corner = 0;
		for (int i = 1; i <= READ; i++) {
			short up = row[i];
			short s = corner + (read[i - 1] == letter ? 2 : -1);
			s = max(s, (short)(max(up, row[i - 1]) - 2));
			s = max(s, (short)0);
			corner = up;
			row[i] = s;
			if (s > top)
				top = s;
		}
	}
	best[id] = top;
}

// The least edit distance of a pattern of 32 letters to a part of each text, 64 letters, by Myers' bit vectors.
kernel void edit_distance(global const uchar *text, constant uchar *pattern, global uchar *least)
{
	size_t id = get_global_id(0);
	uint equal[4] = {0, 0, 0, 0};
	for (int i = 0; i < 32; i++)
		equal[pattern[i] & 3] |= 1u << i;
	uint pv = 0xffffffff, mv = 0;
	int score = 32, best = 32;
	for (int k = 0; k < 64; k++) {
		uint eq = equal[text[64 * id + k] & 3];
		uint xv = eq | mv;
		uint xh = (((eq & pv) + pv) ^ pv) | eq;
		uint ph = mv | ~(xh | pv), mh = pv & xh;
		if (ph >> 31)
			score++;
		else if (mh >> 31)
			score--;
		ph <<= 1;
		mh <<= 1;
		pv = mh | ~(xv | ph);
		mv = ph & xv;
		best = min(best, score);
	}
	least[id] = best;
}

// Counts words of six letters of two bits.
kernel void count_words(global const uchar *text, global uint *table, int span)
{
	global const uchar *p = text + (int)get_global_id(0) * span;
	uint word = 0;
	for (int i = 0; i < 5; i++)
		word = word << 2 | (*p++ & 3);
	for (int i = 0; i < span; i++) {
		word = (word << 2 | (*p++ & 3)) & 0xfff;
		atomic_inc(&table[word]);
	}
}

// The sum, the number and the greatest of the decimal numbers in a record.
kernel void parse_records(global const uchar *text, global uint *sums, global uchar2 *counts, int length)
{
	size_t id = get_global_id(0);
	global const uchar *p = text + id * length, *end = p + length;
	uint sum = 0;
	uchar2 count = 0;
	while (p < end) {
		while (p < end && (*p < '0' || *p > '9'))
			p++;
		if (p == end)
			break;
		uint n = 0, digits = 0;
		while (p < end && *p >= '0' && *p <= '9') {
			n = n * 10 + (*p++ - '0');
			digits++;
		}
		sum += n;
		count.x++;
		count.y = max(count.y, (uchar)digits);
	}
	sums[id] = sum;
	counts[id] = count;
}

// Runs an automaton of at most 16 states over lines of text.
kernel void automaton(global const uchar *table, global const uchar *text, global uchar *state, global uint *hits, int length)
{
	local uchar move[256];
	for (uint i = get_local_id(0); i < 256; i += get_local_size(0))
		move[i] = table[i];
	barrier(CLK_LOCAL_MEM_FENCE);
	size_t id = get_global_id(0);
	global const uchar *p = text + id * length;
	uchar s = 0;
	uint n = 0;
	for (int i = 0; i < length; i++) {
		s = move[s << 4 | (p[i] & 15)] & 15;
		if (s == 15) {
			n++;
			s = 0;
		}
	}
	state[id] = s;
	hits[id] = n;
}
