// A packet that is read was written before: pipes order what they carry.
//! run -pipe p=i32:4 -kernel source -global 1 -arg pipe:p -with -kernel sink -global 1 -arg pipe:p -arg zero:i32:8
//! no clang: pipes of the host are given to modules of lockstep's compiler only here
kernel void source(write_only pipe int p)
{
	for (int i = 0; i < 8; i++)
		while (write_pipe(p, &i) != 0)
			;
}
kernel void sink(read_only pipe int p, global int *out)
{
	for (int i = 0; i < 8; i++) {
		int x;
		while (read_pipe(p, &x) != 0)
			;
		out[i] = x;
	}
}
