// An integer makes a global pointer of the constant table's address, and the table is written.
//! run -global 1 -local 1 -arg zero:i32:1
constant int table[2] = {1, 2};
kernel void patch(global int *out)
{
	*(global int *)(size_t)&table[1] = 3; // find E-READONLY
	*out = 1;
}
