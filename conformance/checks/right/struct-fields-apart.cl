// Different members of one structure are different locations, also with neighbours of a byte.
//! run -global 8 -local 8 -arg zero:u8:8
typedef struct { char a, b, c, d; } four;
kernel void members(global four *s)
{
	size_t i = get_global_id(0);
	if (i % 4 == 0)
		s[i / 4].a = 1;
	else if (i % 4 == 1)
		s[i / 4].b = 2;
	else if (i % 4 == 2)
		s[i / 4].c = 3;
	else
		s[i / 4].d = 4;
}
