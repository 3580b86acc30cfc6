// A structure with padding goes to the output as a whole. Its members are set; what the padding
// holds is of no interest to anybody.
//! run -global 4 -local 4 -arg zero:i32:8
//! varies
typedef struct { char c; int n; } entry;
kernel void copy(global entry *out)
{
	entry e;
	e.c = 2;
	e.n = (int)get_global_id(0);
	out[get_global_id(0)] = e;
}
