// Elements that no kernel writes are no fault where the host does not read the buffer, where a later kernel writes them,
// and where only the padding of elements is left out.
//! run -kernel most -buffer b=undef:i32:8 -global 7 -arg buffer:b -arg undef:i32:8 -then -kernel rest -global 1 -arg buffer:b -arg undef:i32:8 -out 0=- -out 1=-
struct padded { char c; int i; };

kernel void most(global int *out, global int *scratch)
{
	out[get_global_id(0)] = scratch[get_global_id(0)] = 1;
}

kernel void rest(global int *out, global struct padded *p)
{
	out[7] = 2;
	for (int i = 0; i < 4; i++) {
		p[i].c = 1;
		p[i].i = i;
	}
}
