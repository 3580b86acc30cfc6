// One member of the structure is never set.
//! run -global 4 -local 4 -arg zero:f32:16
typedef struct { float x, y, z, w; } point;
kernel void points(global point *out)
{
	point p;
	p.x = get_global_id(0);
	p.y = 2;
	p.w = 1;
	out[get_global_id(0)].z = p.z * 2; // find E-UNINIT
}
