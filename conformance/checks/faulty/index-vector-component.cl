// Component number 4 of a vector of four.
//! run -global 5 -local 5 -arg zero:i32:5
kernel void components(global int *out)
{
	int i = get_global_id(0);
	int4 v = (int4)(1, 2, 3, 4);
	out[i] = ((int *)&v)[i]; // find E-OOB
}
