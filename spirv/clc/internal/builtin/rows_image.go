package builtin

import "github.com/lockstep-gpu/lockstep/spirv/clc/internal/lang"

const (
	imageSection   = "6.15.15"
	pipeSection    = "6.15.17"
	enqueueSection = "6.15.18"
)

// image is a row for images of some types.
func image(name, sig string, of images, a access, since lang.Version, help string) Def {
	return Def{Name: name, Sig: sig, Over: Over{Images: of, Access: a}, Emit: code(), Since: since,
		Section: imageSection, Help: help}
}

// reads returns the rows of read_imageTYPE with the given result; OpenCL C 1.0 has samplers for half of them only.
func reads(name, result string, plain, depth images) []Def {
	const first = img1D | img2D | img3D
	d := []Def{
		image(name, result+"(T, sampler, F); "+result+"(T, sampler, C)", plain&first, readOnly, 0,
			"Reads a texel with a sampler."),
		image(name, result+"(T, sampler, F); "+result+"(T, sampler, C)",
			(plain|depth)&^(first|img1DBuffer|imgMSAA), readOnly, lang.CL12,
			"Reads a texel of an array of images with a sampler."),
		image(name, result+"(T, C)", (plain|depth)&^imgMSAA, readOnly, lang.CL12, "Reads a texel."),
		image(name, result+"(T, C)", (plain|depth)&^imgMSAA, readWrite, lang.CL20,
			"Reads a texel of an image that the kernel writes too."),
	}
	if msaa := (plain | depth) & imgMSAA; msaa != 0 {
		x := image(name, result+"(T, C, int)", msaa, readOnly|readWrite, lang.CL12,
			"Reads a sample of a texel.")
		x.Ext = "cl_khr_gl_msaa_sharing"
		d = append(d, x)
	}
	if name != "read_imageh" {
		mips := image(name, result+"(T, sampler, F, float); "+result+"(T, sampler, F, G, G)",
			(plain|depth)&^(img1DBuffer|imgMSAA),
			readOnly|readWrite, lang.CL20,
			"Reads a texel at a level of detail, or at the one that gradients ask for.")
		mips.Ext = "cl_khr_mipmap_image"
		d = append(d, mips)
	}
	return d
}

// writes returns the rows of write_imageTYPE.
func writes(name, texel string, of images) []Def {
	d := []Def{image(name, "void(T, C, "+texel+")", of&imgPlain, writeOnly|readWrite, 0, "Writes a texel.")}
	if of&imgDepth != 0 {
		x := image(name, "void(T, C, "+texel+")", of&imgDepth, writeOnly|readWrite, lang.CL12,
			"Writes a texel of a depth image.")
		x.Ext = "cl_khr_depth_images"
		d = append(d, x)
	}
	if name != "write_imageh" {
		mips := image(name, "void(T, C, int, "+texel+")", of&^img1DBuffer, writeOnly|readWrite, lang.CL20,
			"Writes a texel at a level of detail.")
		mips.Ext = "cl_khr_mipmap_image_writes"
		d = append(d, mips)
	}
	return d
}

var imageRows = join(
	reads("read_imagef", "X", imgPlain|imgSamples, imgDepth|img2DMSAADepth|img2DArrayMSAADepth),
	reads("read_imageh", "half4", imgPlain, 0),
	reads("read_imagei", "int4", imgPlain|imgSamples, 0),
	reads("read_imageui", "uint4", imgPlain|imgSamples, 0),
	writes("write_imagef", "X", imgPlain|imgDepth),
	writes("write_imageh", "half4", imgPlain),
	writes("write_imagei", "int4", imgPlain),
	writes("write_imageui", "uint4", imgPlain),
	[]Def{
		image("get_image_width", "int(T)", imgAll, anyAccess, 0, "The width in texels."),
		image("get_image_height", "int(T)", imgAll&^(img1D|img1DBuffer|img1DArray), anyAccess, 0,
			"The height in texels."),
		image("get_image_depth", "int(T)", img3D, anyAccess, 0, "The depth in texels."),
		image("get_image_channel_data_type", "int(T)", imgAll, anyAccess, 0,
			"The type of a channel, as CLK_ names it."),
		image("get_image_channel_order", "int(T)", imgAll, anyAccess, 0,
			"The channels that a texel has, as CLK_ names them."),
		image("get_image_dim", "int2(T)", imgAll&^(img1D|img1DBuffer|img1DArray|img3D), anyAccess, 0,
			"Width and height."),
		image("get_image_dim", "int4(T)", img3D, anyAccess, 0, "Width, height, depth and 0."),
		image("get_image_array_size", "size(T)",
			img1DArray|img2DArray|img2DArrayDepth|img2DArrayMSAA|img2DArrayMSAADepth, anyAccess, 0,
			"How many images the array has."),
		{Name: "get_image_num_samples", Sig: "int(T)", Over: Over{Images: imgMSAA, Access: anyAccess},
			Emit: code(), Since: lang.CL12,
			Ext: "cl_khr_gl_msaa_sharing", Help: "How many samples a texel has."},
		{Name: "get_image_num_mip_levels", Sig: "int(T)",
			Over: Over{Images: (imgPlain | imgDepth) &^ img1DBuffer, Access: anyAccess}, Emit: code(),
			Since: lang.CL20, Ext: "cl_khr_mipmap_image", Help: "How many levels of detail there are."},
	},
)

// pipe is a row of a pipe function.
func pipe(name, sig, help string) Def {
	return Def{Name: name, Sig: sig, Special: true, Emit: code(), Since: lang.CL20, Ext: "__opencl_c_pipes",
		Section: pipeSection, Help: help}
}

var pipeRows = []Def{
	pipe("read_pipe", "int(pipe, T*); int(pipe, reserve, uint, T*)",
		"Takes a packet out of a pipe, or out of a reservation; 0 if that worked."),
	pipe("write_pipe", "int(pipe, T*); int(pipe, reserve, uint, T*)",
		"Puts a packet into a pipe, or into a reservation; 0 if that worked."),
	pipe("reserve_{read,write}_pipe", "reserve(pipe, uint)", "Reserves packets for this work-item."),
	pipe("commit_{read,write}_pipe", "void(pipe, reserve)", "Ends a reservation of this work-item."),
	pipe("work_group_reserve_{read,write}_pipe", "reserve(pipe, uint)",
		"Reserves packets for the work-group."),
	pipe("work_group_commit_{read,write}_pipe", "void(pipe, reserve)",
		"Ends a reservation of the work-group."),
	pipe("sub_group_reserve_{read,write}_pipe", "reserve(pipe, uint)", "Reserves packets for the sub-group."),
	pipe("sub_group_commit_{read,write}_pipe", "void(pipe, reserve)", "Ends a reservation of the sub-group."),
	pipe("get_pipe_num_packets", "uint(pipe)", "How many packets are in the pipe."),
	pipe("get_pipe_max_packets", "uint(pipe)", "How many packets fit in the pipe."),
	{Name: "is_valid_reserve_id", Sig: "bool(reserve)", Emit: code(), Since: lang.CL20,
		Ext: "__opencl_c_pipes", Section: pipeSection,
		Help: "Whether a reservation was made."},
}

// enqueue is a row of a function that cannot be used.
func enqueue(name, help string) Def {
	return Def{Name: name, Sig: "void()", Emit: code(), Since: lang.CL20, Ext: "__opencl_c_device_enqueue",
		Section: enqueueSection,
		Refused: "device-side enqueue is not supported", Help: help}
}

var enqueueRows = []Def{
	enqueue("enqueue_kernel", "Enqueues a block."),
	enqueue("enqueue_marker", "Enqueues a marker."),
	enqueue("get_kernel_work_group_size get_kernel_preferred_work_group_size_multiple get_kernel_max_sub_group_size_for_ndrange "+
		"get_kernel_sub_group_count_for_ndrange", "Asks about the kernel that a block would be."),
	enqueue("get_default_queue", "The queue for what kernels enqueue."),
	enqueue("ndrange_{1D,2D,3D}", "Makes a size of a launch."),
	enqueue("retain_event release_event create_user_event is_valid_event set_user_event_status capture_event_profiling_info",
		"Handles events of what kernels enqueue."),
}

// lds is a row of AMDGPU's copies into LDS.
func lds(name, sig, help string) Def {
	return Def{Name: "__builtin_amdgcn_" + name, Sig: sig, Emit: Emit{Kind: Import}, Ext: "AMDGPU",
		Help: help}
}

var amdgcnRows = []Def{
	lds("load_to_lds", "void(global const void*, local void*, uint, int, uint); void(generic const void*, local void*, uint, int, uint)",
		"Each work-item copies bytes into local memory: source, base, size, offset, cache policy."),
	lds("load_async_to_lds",
		"void(global const void*, local void*, uint, int, uint); void(generic const void*, local void*, uint, int, uint)",
		"load_to_lds that is complete only when a mark behind it has been waited for."),
	lds("global_load{,_async}_lds", "void(global const void*, local void*, uint, int, uint)",
		"load_to_lds from global memory."),
	lds("raw_buffer_load{,_async}_lds",
		"void(uint4, local void*, uint, uint, uint, int, uint); void(int4, local void*, uint, uint, uint, int, uint)",
		"load_to_lds from a buffer resource: resource, base, size, offset of the work-item, offset of the wave, offset, cache policy."),
	lds("raw_ptr_buffer_load{,_async}_lds", "void(global void*, local void*, uint, uint, uint, int, uint)",
		"raw_buffer_load_lds with the resource as a pointer."),
	lds("struct_buffer_load{,_async}_lds",
		"void(uint4, local void*, uint, uint, uint, uint, int, uint); void(int4, local void*, uint, uint, uint, uint, int, uint)",
		"raw_buffer_load_lds with the index of an element before the offsets."),
	lds("struct_ptr_buffer_load{,_async}_lds",
		"void(global void*, local void*, uint, uint, uint, uint, int, uint)",
		"struct_buffer_load_lds with the resource as a pointer."),
	lds("global_load_async_to_lds_b{8,32,64,128}", "void(global const void*, local void*, int, int)",
		"Each work-item copies so many bits to its own address in local memory: source, destination, offset, cache policy."),
	lds("cluster_load_async_to_lds_b{8,32,64,128}", "void(global const void*, local void*, int, int, int)",
		"global_load_async_to_lds for several work-groups, of which there is one here."),
	lds("global_store_async_from_lds_b{8,32,64,128}", "void(global void*, local void*, int, int)",
		"Each work-item copies so many bits from its own address in local memory: destination, source, offset, cache policy."),
	lds("asyncmark", "void()", "Puts a mark behind the copies so far."),
	lds("wait_asyncmark", "void(ushort)", "Waits until at most so many marks are outstanding."),
}
