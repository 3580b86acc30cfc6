// Column 4 of a row of four is the first element of the next row: inside the array, outside the
// row.
//! run -global 4 -local 4 -arg zero:i32:4
kernel void rows(global int *out)
{
	int a[4][4];
	int l = get_local_id(0);
	for (int y = 0; y < 4; y++)
		for (int x = 0; x < 4; x++)
			a[y][x] = y;
	out[l] = a[1][l + 1]; // find E-INDEX
}
