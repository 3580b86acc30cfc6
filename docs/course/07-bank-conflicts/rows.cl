// Each work-item fills a column of a tile, and adds up a row of it.
kernel void plain(global int *sums)
{
	local int tile[32][32];
	int place = get_local_id(0), sum = 0;
	for (int y = 0; y < 32; y++)
		tile[y][place] = y * place;
	barrier(CLK_LOCAL_MEM_FENCE);
	for (int x = 0; x < 32; x++)
		sum += tile[place][x];
	sums[place] = sum;
}

kernel void padded(global int *sums)
{
	local int tile[32][33];
	int place = get_local_id(0), sum = 0;
	for (int y = 0; y < 32; y++)
		tile[y][place] = y * place;
	barrier(CLK_LOCAL_MEM_FENCE);
	for (int x = 0; x < 32; x++)
		sum += tile[place][x];
	sums[place] = sum;
}
