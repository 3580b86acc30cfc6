// The bytes between c and n are padding: they are copied with the structure, never set and never
// used.
//! run -global 4 -local 4 -arg zero:i32:8
typedef struct { char c; int n; } entry;
kernel void copy(global entry *out)
{
	entry e;
	e.c = 1;
	e.n = (int)get_global_id(0);
	entry f = e;
	out[get_global_id(0)].c = f.c;
	out[get_global_id(0)].n = f.n + e.n;
}
