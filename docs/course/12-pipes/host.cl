// Reads packets that the host has put into a pipe. read_pipe does not wait.
kernel void take(read_only pipe int numbers, global int *out, global int *results)
{
	size_t i = get_global_id(0);
	int v = -1;
	results[i] = read_pipe(numbers, &v);
	out[i] = v;
}
