// The loop is left with a pointer to a variable of its body.
//! run -global 2 -local 2 -arg zero:i32:2
kernel void search(global int *out)
{
	int i = get_global_id(0);
	int *p = 0;
	for (int k = 0; k < 10; k++) {
		int x = k * k;
		p = &x;
		if (k > i + 2)
			break;
	}
	out[i] = *p; // find E-DEAD
}
