// An array inside a structure in global memory, with the index of another array.
//! run -global 4 -local 4 -arg zero:i32:24
typedef struct { int color[3]; int alpha[3]; } pixel;
kernel void paint(global pixel *p)
{
	int i = get_global_id(0);
	p[i].color[i] = 255; // find E-INDEX
}
