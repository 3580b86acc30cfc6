// Reserve, write all packets, commit.
//! run -pipe p=i32:4 -global 1 -arg pipe:p -arg zero:i32:1
//! no clang: pipes of the host are given to modules of lockstep's compiler only here
kernel void fill(write_only pipe int p, global int *out)
{
	reserve_id_t r = reserve_write_pipe(p, 2);
	if (!is_valid_reserve_id(r))
		return;
	for (int i = 0; i < 2; i++)
		write_pipe(p, r, i, &i);
	commit_write_pipe(p, r);
	*out = 1;
}
