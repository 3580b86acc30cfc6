// A host program in C++ that launches through the header opencl.hpp: what is found names the line of the program.

#define CL_HPP_TARGET_OPENCL_VERSION 300
#include <CL/opencl.hpp>

namespace app {
struct Solver {
	cl::CommandQueue queue;
	cl::Kernel kernel;

	__attribute__((noinline)) void step(size_t n) {
		queue.enqueueNDRangeKernel(kernel, cl::NullRange, cl::NDRange(n));
		queue.finish();
	}
};
}

int main() {
	cl::Context context(CL_DEVICE_TYPE_ALL);
	cl::Program program(context, "kernel void put(global int *a) { a[get_global_id(0) + 4] = 1; }", true);
	cl::Buffer buffer(context, CL_MEM_READ_WRITE, 16);
	app::Solver solver{cl::CommandQueue(context), cl::Kernel(program, "put")};
	solver.kernel.setArg(0, buffer);
	solver.step(1);
	solver.step(2);
}
