// One work-item writes bytes 0 to 3 of a word pair, the next one bytes 2 to 5 through another type.
//! run -global 2 -local 2 -arg zero:u8:8
kernel void overlap(global uchar *a)
{
	if (get_local_id(0) == 0)
		*(global uint *)a = 0x01020304; // find E-RACE
	else {
		*(global ushort *)(a + 2) = 0x0506; // find E-RACE
		*(global ushort *)(a + 4) = 0x0708;
	}
}
