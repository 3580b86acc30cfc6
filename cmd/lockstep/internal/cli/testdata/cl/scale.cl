#include "scale.h"
#ifndef N
#define N 1
#endif

kernel void scale(global int *data)
{
	data[get_global_id(0)] = SCALE(data[get_global_id(0)]) + N;
}
