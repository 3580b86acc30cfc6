// The remainder in one component of a vector.
//! run -global 1 -local 1 -arg u32:4,0,2,1 -arg zero:u32:4
kernel void rest(uint4 n, global uint4 *out)
{
	*out = (uint4)(10, 11, 12, 13) % n; // find E-DIV0
}
