typedef struct pair { int a; float b; } pair;
typedef enum color { RED, GREEN = 5 } color;
typedef float real;
constant int table[2][3] = {{1, 2, 3}, {4, 5, 6}};

int twice(int v)
{
	int w = v + 2;
	return w + v;
}

kernel void optimized(global int *out, float4 in, int n, pair q)
{
	int i = get_global_id(0);
	int more = n + 3;
	color c = (color)n;
	float4 v = in * 2.0f;
	pair p;
	p.a = i;
	p.b = v.x;
	real sum = 0;
	for (int j = 0; j < n; j++) {
		sum += twice(j) * v.y;
		p.a += j;
	}
	out[i] = (int)sum + p.a + (int)p.b + table[i & 1][i % 3] + c + q.a;
}
