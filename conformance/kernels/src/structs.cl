// Structures by value and by pointer, nested, packed and with unions, through
// function calls.
// lines: yes
// addressing: 32
#pragma OPENCL FP_CONTRACT OFF

struct point {
	float x, y;
};

struct shape {
	uchar kind;
	struct point corner[2];
	ushort id;
	union {
		uint bits;
		float size;
		uchar bytes[4];
	} u;
	long total;
};

struct __attribute__((packed)) record {
	uchar tag;
	uint value;
	ushort check;
};

struct options {
	int scale;
	char sign;
	struct point origin;
	double weight;
};

static struct point shifted(struct point p, const struct options *o)
{
	p.x += o->origin.x * (float)o->scale;
	p.y += o->origin.y * (float)o->sign;
	return p;
}

static struct shape make(uint seed, struct options o)
{
	struct shape s;
	s.kind = (uchar)(seed % 3);
	for (int i = 0; i < 2; i++) {
		s.corner[i].x = (float)(seed % 17) + (float)i;
		s.corner[i].y = (float)(seed % 23) - (float)i;
		s.corner[i] = shifted(s.corner[i], &o);
	}
	s.id = (ushort)(seed * 7);
	switch (s.kind) {
	case 0:
		s.u.bits = seed * 0x01010101u;
		break;
	case 1:
		s.u.size = (float)seed * 0.5f;
		break;
	default:
		for (int i = 0; i < 4; i++)
			s.u.bytes[i] = (uchar)(seed + i * 50);
	}
	s.total = (long)seed * o.scale + (long)(o.weight * 4.0);
	return s;
}

static void add_up(long *sum, const struct shape *s)
{
	*sum += s->total + s->u.bits + s->id;
	*sum += (long)(s->corner[0].x - s->corner[1].y);
}

kernel void structs(global const uint *seeds, struct options o, global struct shape *shapes,
                    global struct record *records, global long *sums)
{
	size_t i = get_global_id(0);
	struct shape a = make(seeds[i], o);
	struct shape b = make(seeds[i] / 3 + 1, o);
	long sum = 0;
	add_up(&sum, &a);
	add_up(&sum, &b);
	shapes[i].kind = a.kind;
	shapes[i].corner[0] = a.corner[1];
	shapes[i].corner[1] = b.corner[0];
	shapes[i].id = b.id;
	shapes[i].u = a.u;
	shapes[i].total = sum;
	struct record r = {b.kind, a.u.bits ^ b.u.bits, a.id};
	records[i] = r;
	records[i].tag += 1;
	sums[i] = sum - records[i].value;
}
