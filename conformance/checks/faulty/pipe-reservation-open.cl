// A reservation that is never committed.
//! run -pipe p=i32:4 -global 1 -arg pipe:p -arg zero:i32:1
//! no clang: pipes of the host are given to modules of lockstep's compiler only here
kernel void fill(write_only pipe int p, global int *out)
{
	reserve_id_t r = reserve_write_pipe(p, 2); // find E-PIPEOPEN
	int x = 5;
	write_pipe(p, r, 0, &x);
	write_pipe(p, r, 1, &x);
	*out = 1;
}
