// Exercise 6.2: records
//
// The buffer has records of length ints, one after the other. Each work-item adds up the ints of
// its record. At each step the lanes of a sub-group read ints that are length * 4 bytes apart. Read
// the records so that a sub-group touches no more cache lines than it has to. The local memory tile
// has room for the records of a group.

kernel void records(global const int *in, int length, global int *sums, local int *tile)
{
	size_t i = get_global_id(0);
	int sum = 0;
	for (int k = 0; k < length; k++)
		sum += in[i * length + k];
	sums[i] = sum;
}
