// Two work-items write each element.
//! run -global 8,1 -local 8,1 -arg image:4x1:rgba:i32
//! varies
kernel void paint(write_only image2d_t image)
{
	int i = get_global_id(0);
	write_imagei(image, (int2)(i / 2, 0), (int4)(i)); // find E-RACE
}
