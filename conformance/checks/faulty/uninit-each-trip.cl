// The variable is declared in the body of the loop, so that what the trip before has left there is nothing to go by
// (C99 6.2.4: it becomes indeterminate each time the declaration is reached).
//! run -global 2 -local 2 -arg zero:i32:8
kernel void trips(global int *out)
{
	for (int i = 0; i < 4; i++) {
		int x;
		if (i == 0)
			x = 3;
		out[get_global_id(0) * 4 + i] = x; // find E-UNINIT
	}
}
