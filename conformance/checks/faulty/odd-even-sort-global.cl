// Odd-even transposition in a buffer by one work-group, without barriers between the rounds.
//! run -global 8 -local 8 -arg buf:i32:9,8,7,6,5,4,3,2,1,0,5,5,4,4,3,3
kernel void sort(global int *a)
{
	int l = get_local_id(0);
	for (int round = 0; round < 16; round++) {
		int i = 2 * l + round % 2;
		if (i + 1 < 16 && a[i] > a[i + 1]) { // find E-RACE
			int t = a[i]; // find E-RACE
			a[i] = a[i + 1]; // find E-RACE
			a[i + 1] = t; // find E-RACE
		}
	}
}
