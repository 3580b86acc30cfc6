// y = a*x + y in single precision, the product rounded before the sum.
// lines: yes
// addressing: 32
#pragma OPENCL FP_CONTRACT OFF

kernel void saxpy(float a, global const float *x, global float *y)
{
	size_t i = get_global_id(0);
	y[i] = a * x[i] + y[i];
}
