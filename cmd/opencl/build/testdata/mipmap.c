// A host program with mipmaps (cl_khr_mipmap_image and cl_khr_mipmap_image_writes). It prints what is wrong with a line
// number, and "ok" at the end.

#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>
#include <CL/cl_ext.h>
#include <float.h>
#include <stdio.h>
#include <string.h>

static int wrong;

static void check_at(int line, const char *what, long got, long want) {
	if (got != want) {
		printf("mipmap.c:%d: %s is %ld, not %ld\n", line, what, got, want);
		wrong = 1;
	}
}
#define CHECK(e, want) check_at(__LINE__, #e, (long)(e), (long)(want))

static const char *source =
	"kernel void levels(read_only image2d_t from, write_only image2d_t to, sampler_t s, global float *out) {\n"
	"	int lod = get_global_id(0);\n"
	"	int2 size = max(get_image_dim(from) >> lod, 1);\n"
	"	for (int y = 0; y < size.y; y++)\n"
	"		for (int x = 0; x < size.x; x++) {\n"
	"			float2 at = (float2)((x + 0.5f) / size.x, (y + 0.5f) / size.y);\n"
	"			write_imagef(to, (int2)(x, y), lod, 2 * read_imagef(from, s, at, (float)lod));\n"
	"		}\n"
	"	out[lod] = read_imagef(from, s, (float2)(0.5f, 0.5f), lod + 0.5f).x;\n"
	"	if (lod == 0) {\n"
	"		out[4] = get_image_num_mip_levels(from);\n"
	"		float2 step = (float2)(2.0f / get_image_width(from), 0);\n"
	"		out[5] = read_imagef(from, s, (float2)(0.5f, 0.5f), step, step.yx).x;\n"
	"	}\n"
	"}\n";

static cl_context context;
static cl_command_queue queue;

// run runs the kernel with a sampler.
static void run(cl_kernel kernel, cl_sampler sampler, cl_mem out, float values[6]) {
	size_t four = 4;
	CHECK(clSetKernelArg(kernel, 2, sizeof sampler, &sampler), CL_SUCCESS);
	CHECK(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &four, NULL, 0, NULL, NULL), CL_SUCCESS);
	CHECK(clEnqueueReadBuffer(queue, out, CL_TRUE, 0, 6 * sizeof *values, values, 0, NULL, NULL), CL_SUCCESS);
}

static cl_sampler sampler_of(cl_filter_mode levels, float least, float most) {
	cl_uint low, high;
	memcpy(&low, &least, sizeof low);
	memcpy(&high, &most, sizeof high);
	cl_sampler_properties p[] = {CL_SAMPLER_NORMALIZED_COORDS, CL_TRUE, CL_SAMPLER_ADDRESSING_MODE, CL_ADDRESS_CLAMP_TO_EDGE,
		CL_SAMPLER_FILTER_MODE, CL_FILTER_NEAREST, CL_SAMPLER_MIP_FILTER_MODE_KHR, levels,
		CL_SAMPLER_LOD_MIN_KHR, low, CL_SAMPLER_LOD_MAX_KHR, high, 0};
	cl_int err;
	cl_sampler s = clCreateSamplerWithProperties(context, p, &err);
	CHECK(err, CL_SUCCESS);
	return s;
}

int main(void) {
	cl_int err;
	cl_platform_id platform;
	cl_device_id device;
	CHECK(clGetPlatformIDs(1, &platform, NULL), CL_SUCCESS);
	CHECK(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL), CL_SUCCESS);
	context = clCreateContext(NULL, 1, &device, NULL, NULL, &err);
	queue = clCreateCommandQueueWithProperties(context, device, NULL, &err);

	// Four levels, of which the last one is the smallest there can be.
	cl_image_format format = {CL_R, CL_FLOAT};
	cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 13, .image_height = 10, .num_mip_levels = 4};
	const size_t width[] = {13, 6, 3, 1}, height[] = {10, 5, 2, 1};
	cl_mem from = clCreateImage(context, CL_MEM_READ_ONLY, &format, &desc, NULL, &err);
	CHECK(err, CL_SUCCESS);
	cl_mem to = clCreateImage(context, CL_MEM_WRITE_ONLY, &format, &desc, NULL, &err);
	CHECK(err, CL_SUCCESS);
	cl_uint levels = 0;
	CHECK(clGetImageInfo(from, CL_IMAGE_NUM_MIP_LEVELS, sizeof levels, &levels, NULL), CL_SUCCESS);
	CHECK(levels, 4);

	float texels[130];
	for (size_t l = 0; l < 4; l++) {
		for (size_t i = 0; i < width[l] * height[l]; i++)
			texels[i] = 1000 * l + i;
		size_t origin[] = {0, 0, l}, region[] = {width[l], height[l], 1};
		CHECK(clEnqueueWriteImage(queue, from, CL_TRUE, origin, region, 0, 0, texels, 0, NULL, NULL), CL_SUCCESS);
		region[0]++; // more than the level has
		CHECK(clEnqueueWriteImage(queue, from, CL_TRUE, origin, region, 0, 0, texels, 0, NULL, NULL), CL_INVALID_VALUE);
	}
	size_t beyond[] = {0, 0, 4}, one[] = {1, 1, 1};
	CHECK(clEnqueueReadImage(queue, from, CL_TRUE, beyond, one, 0, 0, texels, 0, NULL, NULL), CL_INVALID_MIP_LEVEL);

	cl_program program = clCreateProgramWithSource(context, 1, &source, NULL, &err);
	CHECK(clBuildProgram(program, 0, NULL, "-cl-std=CL3.0", NULL, NULL), CL_SUCCESS);
	cl_kernel kernel = clCreateKernel(program, "levels", &err);
	CHECK(err, CL_SUCCESS);
	cl_mem out = clCreateBuffer(context, 0, 6 * sizeof(float), NULL, &err);
	CHECK(clSetKernelArg(kernel, 0, sizeof from, &from), CL_SUCCESS);
	CHECK(clSetKernelArg(kernel, 1, sizeof to, &to), CL_SUCCESS);
	CHECK(clSetKernelArg(kernel, 3, sizeof out, &out), CL_SUCCESS);

	// In the middle are 5*13+6 of level 0, 2*6+3 of level 1, 1*3+1 of level 2 and the only one of level 3.
	float v[6];
	run(kernel, sampler_of(CL_FILTER_LINEAR, 0, FLT_MAX), out, v);
	CHECK(v[0], (71 + 1015) / 2);
	CHECK(v[1] * 2, 1015 + 2004);
	CHECK(v[2], (2004 + 3000) / 2);
	CHECK(v[3], 3000);
	CHECK(v[4], 4);
	CHECK(v[5], 1015);
	for (size_t l = 0; l < 4; l++) {
		size_t origin[] = {0, 0, l}, region[] = {width[l], height[l], 1};
		CHECK(clEnqueueReadImage(queue, to, CL_TRUE, origin, region, 0, 0, texels, 0, NULL, NULL), CL_SUCCESS);
		for (size_t i = 0; i < width[l] * height[l]; i++)
			CHECK(texels[i], 2 * (1000 * l + i));
	}
	run(kernel, sampler_of(CL_FILTER_NEAREST, 1, 2), out, v);
	CHECK(v[0], 1015);
	CHECK(v[3], 2004);
	run(kernel, sampler_of(CL_FILTER_LINEAR, 0, 0), out, v);
	CHECK(v[2], 71);

	// Between levels, and with buffers; and a map of a level.
	size_t second[] = {1, 1, 1}, third[] = {1, 0, 2}, corner[] = {2, 2, 1};
	CHECK(clEnqueueCopyImage(queue, from, to, second, third, corner, 0, NULL, NULL), CL_SUCCESS);
	size_t row, slice;
	float *map = clEnqueueMapImage(queue, to, CL_TRUE, CL_MAP_READ, third, corner, &row, &slice, 0, NULL, NULL, &err);
	CHECK(err, CL_SUCCESS);
	CHECK(row, 3 * sizeof(float));
	CHECK(map[0], 1007);
	CHECK(map[row / sizeof *map + 1], 1014);
	CHECK(clEnqueueUnmapMemObject(queue, to, map, 0, NULL, NULL), CL_SUCCESS);
	CHECK(clEnqueueCopyImageToBuffer(queue, from, out, second, corner, 0, 0, NULL, NULL), CL_SUCCESS);
	size_t last[] = {0, 0, 3};
	CHECK(clEnqueueCopyBufferToImage(queue, out, to, 3 * sizeof(float), last, one, 0, NULL, NULL), CL_SUCCESS);
	CHECK(clEnqueueReadImage(queue, to, CL_TRUE, last, one, 0, 0, texels, 0, NULL, NULL), CL_SUCCESS);
	CHECK(texels[0], 1014);
	float color[4] = {5};
	CHECK(clEnqueueFillImage(queue, to, color, third, corner, 0, NULL, NULL), CL_SUCCESS);
	size_t base[] = {0, 0, 2}, all[] = {3, 2, 1};
	CHECK(clEnqueueReadImage(queue, to, CL_TRUE, base, all, 0, 0, texels, 0, NULL, NULL), CL_SUCCESS);
	CHECK(texels[0], 2 * (2 * 13 + 2)); // of level 0, as the last launch read no other
	CHECK(texels[1] == 5 && texels[2] == 5 && texels[4] == 5 && texels[5] == 5, 1);
	CHECK(texels[3], 2 * (7 * 13 + 2));

	// A layered mipmap has its level behind the layer.
	cl_image_desc layered = {.image_type = CL_MEM_OBJECT_IMAGE2D_ARRAY, .image_width = 4, .image_height = 4, .image_array_size = 3, .num_mip_levels = 3};
	cl_mem array = clCreateImage(context, 0, &format, &layered, NULL, &err);
	CHECK(err, CL_SUCCESS);
	size_t at[] = {0, 0, 1, 1}, two[] = {2, 2, 2};
	for (int i = 0; i < 8; i++)
		texels[i] = i;
	CHECK(clEnqueueWriteImage(queue, array, CL_TRUE, at, two, 0, 0, texels, 0, NULL, NULL), CL_SUCCESS);
	map = clEnqueueMapImage(queue, array, CL_TRUE, CL_MAP_READ, at, two, &row, &slice, 0, NULL, NULL, &err);
	CHECK(row, 2 * sizeof(float));
	CHECK(slice, 4 * sizeof(float));
	for (int i = 0; i < 8; i++)
		CHECK(map[i], i);
	CHECK(clEnqueueUnmapMemObject(queue, array, map, 0, NULL, NULL), CL_SUCCESS);

	// What there are no mipmaps of.
	desc.num_mip_levels = 5;
	CHECK(clCreateImage(context, 0, &format, &desc, NULL, &err) == NULL, 1);
	CHECK(err, CL_INVALID_IMAGE_DESCRIPTOR);
	desc.num_mip_levels = 2;
	CHECK(clCreateImage(context, CL_MEM_COPY_HOST_PTR, &format, &desc, texels, &err) == NULL, 1);
	CHECK(err, CL_INVALID_IMAGE_DESCRIPTOR);
	if (!wrong)
		puts("ok");
	return wrong;
}
