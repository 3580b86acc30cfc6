// The pipe has two packets, four are read, and nobody looks at whether that went well.
//! run -pipe p=i32:4:buf:i32:1,2 -global 1 -arg pipe:p -arg zero:i32:4
//! no clang: pipes of the host are given to modules of lockstep's compiler only here
kernel void drain(read_only pipe int p, global int *out)
{
	for (int i = 0; i < 4; i++) {
		int x;
		read_pipe(p, &x);
		out[i] = x; // find E-UNINIT
	}
}
