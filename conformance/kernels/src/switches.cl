// Switches: dense, sparse, with negative and with 64-bit selectors, falling
// through, nested, with ranges, and on characters.

static int dense(int v)
{
	switch (v) {
	case 0: return 11;
	case 1: return 7;
	case 2: return 5;
	case 3: return 19;
	case 4: return 23;
	case 5: return 1;
	case 6: return 42;
	default: return -1;
	}
}

static int sparse(int v)
{
	int r = 0;
	switch (v) {
	case 1000000:
		r = 1;
		break;
	case -5:
		r += 2;
		/* fall through */
	case 77:
		r += 4;
		/* fall through */
	case 0x7fffffff:
		r += 8;
		break;
	case (int)0x80000000:
		return 100;
	case -1:
	case -2:
	case -3:
		r = v;
	}
	return r;
}

static int wide(long v)
{
	switch (v) {
	case 0x100000000L: return 1;
	case -0x100000000L: return 2;
	case 0x7fffffffffffffffL: return 3;
	case (long)0x8000000000000000UL: return 4;
	case 0: return 5;
	default: return v < 0 ? 6 : 7;
	}
}

static int ranges(uchar c)
{
	switch (c) {
	case '0' ... '9': return c - '0';
	case 'a' ... 'f': return c - 'a' + 10;
	case 'A' ... 'F': return c - 'A' + 10;
	case '_':
		switch (c & 3) {
		case 3: return 99;
		default: return 98;
		}
	}
	return -1;
}

kernel void switches(global const int *in, global const long *big, global int4 *out)
{
	size_t i = get_global_id(0);
	int v = in[i];
	out[i] = (int4)(dense(v), sparse(v), wide(big[i]), ranges((uchar)v));
}

// A switch in a loop whose cases continue, break and return.
kernel void switch_loop(global const uchar *in, uint length, global uint *out)
{
	size_t i = get_global_id(0);
	uint s = 0;
	for (uint k = 0; k < length; k++) {
		uchar c = in[i * length + k];
		switch (c % 11) {
		case 0:
			continue;
		case 3:
			s += 5;
			break;
		case 4:
			s ^= k;
			if (s % 7 == 0)
				continue;
			s++;
			break;
		case 9:
			if (k > length / 2) {
				out[i] = s | 0x80000000u;
				return;
			}
			/* fall through */
		default:
			s = s * 2 + c;
		}
		s &= 0xffffff;
	}
	out[i] = s;
}
