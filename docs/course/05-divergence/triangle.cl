// Exercise 5.3: rows of different length
//
// Row r of a triangle has r + 1 elements. The rows stand one after the other, so that row r begins
// at r * (r + 1) / 2. There are twice as many rows as work-items, and each work-item adds up two
// rows. The start gives it two neighbouring rows, so that those with short rows wait for those
// with long ones. At most 10 % of the lanes may idle. Mind that two loops are two loops: lanes
// wait behind each of them.

int row_sum(global const int *triangle, int r)
{
	int sum = 0;
	for (int k = 0; k <= r; k++)
		sum += triangle[r * (r + 1) / 2 + k];
	return sum;
}

kernel void triangle(global const int *triangle, global int *sums)
{
	int i = get_global_id(0);
	sums[2 * i] = row_sum(triangle, 2 * i);
	sums[2 * i + 1] = row_sum(triangle, 2 * i + 1);
}
