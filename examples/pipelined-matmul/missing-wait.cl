// The kernels of matmul.cl with a mistake: nobody waits for the copies.
#define MISSING_WAIT
#include "matmul.cl"
