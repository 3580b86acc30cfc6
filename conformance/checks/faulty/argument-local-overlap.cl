// Two halves of one local argument, with the wrong offset for the second half.
//! run -global 8 -local 8 -arg iota:i32:8 -arg local:64 -arg zero:i32:8
kernel void halves(global const int *in, local int *scratch, global int *out)
{
	size_t l = get_local_id(0);
	local int *second = scratch + 7;
	scratch[l] = in[l]; // find E-RACE
	second[l] = -in[l]; // find E-RACE
	out[l] = second[l]; // find E-RACE
}
