// Variables of blocks that are entered past their declarations, by a case and by a goto, again and again: they are
// set before they are read.
//! run -global 2 -local 2 -arg zero:i32:8
kernel void jumps(global int *out)
{
	for (int i = 0; i < 4; i++) {
		int *p;
		switch (i & 1) {
			int x[2];
		case 0:
			x[0] = x[1] = i;
			p = x;
			out[get_global_id(0) * 4 + i] = p[1];
			break;
		default:
			x[1] = -i;
			p = &x[1];
			out[get_global_id(0) * 4 + i] = *p;
		}
		if (i > 1)
			goto inside;
		{
			int y, *q;
			y = 1;
		inside:
			y = 2;
			q = &y;
			out[get_global_id(0) * 4 + i] += *q;
		}
	}
}
