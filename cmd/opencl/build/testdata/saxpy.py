"""A PyOpenCL program that adds vectors with the platform lockstep."""
import numpy
import pyopencl as cl

platform = [p for p in cl.get_platforms() if p.name == "lockstep"][0]
context = cl.Context(platform.get_devices())
queue = cl.CommandQueue(context)
x = numpy.arange(1000, dtype=numpy.float32)
y = numpy.ones_like(x)
dx = cl.Buffer(context, cl.mem_flags.READ_ONLY | cl.mem_flags.COPY_HOST_PTR, hostbuf=x)
dy = cl.Buffer(context, cl.mem_flags.READ_WRITE | cl.mem_flags.COPY_HOST_PTR, hostbuf=y)
program = cl.Program(
    context,
    """
    kernel void saxpy(float a, global const float *x, global float *y) {
        size_t i = get_global_id(0);
        y[i] = a * x[i] + y[i];
    }
    """,
).build()
program.saxpy(queue, x.shape, None, numpy.float32(2), dx, dy)
out = numpy.empty_like(y)
cl.enqueue_copy(queue, out, dy)
assert (out == 2 * x + 1).all(), out
print("ok", out[-1])
