// options: -cl-std=CL1.2
// Strings that kernels and hosts make, which OpenCL C leaves undefined and drivers print.

kernel void made(global char *bytes, int n)
{
	char word[4];
	word[0] = 'a' + (char)get_global_id(0);
	word[1] = 'b';
	word[2] = 0;
	printf("%s\n", word);
}

kernel void given(global char *bytes, int n)
{
	printf("%d %s\n", n, bytes);
}

kernel void local_word(global char *bytes, int n)
{
	local char word[2];
	word[0] = 'z';
	word[1] = 0;
	printf("%s\n", word);
}
