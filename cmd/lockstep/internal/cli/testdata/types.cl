typedef struct tag { int a; float b; } name;
struct node { int v; global struct node *next; union { int i; float f; } u; };
typedef enum color { RED, GREEN = 5, BLUE = -1 } color;
typedef float real;
typedef global name *names;
typedef int row[3];
typedef struct { real x, y; } point;
constant int table[2][3] = {{1, 2, 3}, {4, 5, 6}};
constant real factor = 2.5f;
global int counter;

int sum(name x, int k) { return x.a + k; }

kernel void types(global name *in, local float *tmp, global int *out, name q, global struct node *list, float3 v)
{
	local row tile[2];
	int i = get_global_id(0);
	bool flag = i & 1;
	color c = i ? RED : GREEN;
	name n = in[i];
	name *pn = &n;
	const real r = n.b * factor;
	row m[2] = {{1, 2, 3}, {4, 5, i}};
	names all = in;
	global half *h = (global half *)list;
	point p = {1, r};
	tile[0][i % 3] = i;
	tmp[i] = p.y;
	barrier(CLK_LOCAL_MEM_FENCE);
	out[i] = sum(n, 3) + m[1][2] + flag + c + table[1][2] + pn->a + q.a + tile[0][0] + (int)(v.x + vload_half(0, h)) + all->a;
	counter++;
}
