// A row of a constant table is one element short.
//! run -global 4 -local 4 -arg zero:i32:4
constant int weights[3][3] = {{1, 2, 1}, {2, 4, 2}, {1, 2, 1}};
kernel void weigh(global int *out)
{
	int i = get_global_id(0);
	out[i] = weights[1][i]; // find E-INDEX
}
