// Private arrays with dynamic indices: a heap sort, a small matrix of
// structures, and a queue in a ring.
// addressing: 32

struct cell {
	short weight;
	int name;
};

kernel void privates(global const int *in, global int *sorted, global int *out)
{
	size_t i = get_global_id(0);
	int heap[16];
	int n = 0;
	for (int k = 0; k < 16; k++) {
		int at = n++;
		int v = in[i * 16 + k];
		while (at > 0 && heap[(at - 1) / 2] < v) {
			heap[at] = heap[(at - 1) / 2];
			at = (at - 1) / 2;
		}
		heap[at] = v;
	}
	while (n > 0) {
		int top = heap[0];
		int v = heap[--n];
		int at = 0;
		for (int c = 1; c < n; c = 2 * at + 1) {
			if (c + 1 < n && heap[c + 1] > heap[c])
				c++;
			if (heap[c] <= v)
				break;
			heap[at] = heap[c];
			at = c;
		}
		heap[at] = v;
		sorted[i * 16 + n] = top;
	}

	struct cell grid[3][5];
	for (int y = 0; y < 3; y++)
		for (int x = 0; x < 5; x++) {
			grid[y][x].weight = (short)(in[i * 16 + y * 5 + x] >> 3);
			grid[y][x].name = y * 100 + x;
		}
	int y = (in[i * 16] & 0x7fff) % 3, x = (in[i * 16 + 1] & 0x7fff) % 5;
	uint sum = 0;
	for (int step = 0; step < 12; step++) {
		struct cell c = grid[y][x];
		sum = sum * 5 + (uint)(c.weight ^ c.name);
		grid[y][x].weight++;
		y = (y + 1 + (c.weight & 1)) % 3;
		x = (x + 2) % 5;
	}

	char ring[7];
	int head = 0, tail = 0, held = 0;
	for (int k = 0; k < 16; k++) {
		int v = in[i * 16 + k];
		if ((v & 1) && held < 7) {
			ring[tail] = (char)(v >> 8);
			tail = (tail + 1) % 7;
			held++;
		} else if (held > 0) {
			sum += (uint)(ring[head] * (k + 1));
			head = (head + 1) % 7;
			held--;
		}
	}
	out[i] = (int)(sum * 8 + (uint)held);
}
