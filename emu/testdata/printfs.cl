// Calls of printf whose strings are no constants where they are used.

constant char *names[3] = {"red", "green", "blue"};
constant char first[] = "first %d\n";
constant char second[] = "second %d %s\n";

// One of two literals: a selection, or a phi.
kernel void chosen(global char *bytes, int n)
{
	int i = (int)get_global_id(0);
	printf("%s %d\n", n > i ? "low" : "high", i);
}

// A table of literals, and a null pointer.
kernel void table(global char *bytes, int n)
{
	size_t i = get_global_id(0);
	printf("%s|%-6s|%.2s|%s\n", names[i % 3], names[(i + 1) % 3], names[2], n > 0 ? names[0] : (constant char *)0);
}

// The format itself is chosen, and with it what the pointer is.
kernel void formats(global char *bytes, int n)
{
	int i = (int)get_global_id(0);
	printf(i & 1 ? first : second, i, names[0]);
}
