// Two work-items use different members of one union.
//! run -global 2 -local 2 -arg zero:u8:16
typedef union { int whole; char part[4]; } word;
kernel void both(global word *w)
{
	if (get_global_id(0) == 0)
		w[1].whole = 7; // find E-RACE
	else
		w[1].part[2] = 1; // find E-RACE
}
