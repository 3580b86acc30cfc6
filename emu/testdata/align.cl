// Kernels for the tests of alignment checks. Each does one access at a byte offset that the launch gives.

#define AT(type) ((global type *)((global uchar *)to + at))

kernel void store_int(global uchar *to, uint at) { *AT(int) = 1; }
kernel void store_float2(global uchar *to, uint at) { *AT(float2) = (float2)(1, 2); }
kernel void store_float3(global uchar *to, uint at) { *AT(float3) = (float3)(1, 2, 3); }
kernel void store_float4(global uchar *to, uint at) { *AT(float4) = (float4)(1, 2, 3, 4); }
kernel void store_uchar4(global uchar *to, uint at) { *AT(uchar4) = (uchar4)(1, 2, 3, 4); }
// A load that is not volatile becomes one of the component that is used.
kernel void load_float4(global uchar *to, uint at) { float4 v = *AT(volatile float4); to[0] = v.x > 0; }
kernel void load_last_component(global uchar *to, uint at) { float4 v = *AT(volatile float4); to[0] = v.w > 0; }
kernel void load_double16(global uchar *to, uint at) { double16 v = *AT(volatile double16); to[0] = v.sa > 0; }

// The functions of this family want the alignment of an element,
kernel void vload_float4(global uchar *to, uint at) { to[0] = vload4(0, AT(float)).w > 0; }
kernel void vstore_short3(global uchar *to, uint at) { vstore3((short3)(1, 2, 3), 0, AT(short)); }
kernel void use_vload_half4(global uchar *to, uint at) { to[0] = vload_half4(0, AT(half)).x > 0; }
// and these that of the vector.
kernel void use_vloada_half4(global uchar *to, uint at) { to[0] = vloada_half4(0, AT(half)).x > 0; }
kernel void use_vstorea_half3(global uchar *to, uint at) { vstorea_half3((float3)(1, 2, 3), 0, AT(half)); }

struct mixed {
	char c;
	int2 v;
};
kernel void store_member(global uchar *to, uint at) { AT(struct mixed)->v = (int2)(1, 2); }
kernel void copy_struct(global uchar *to, uint at) { *AT(struct mixed) = *(global struct mixed *)(to + 128); }
struct large {
	int2 v[64];
};
kernel void copy_large(global uchar *to, uint at) { *AT(struct large) = *(global struct large *)(to + 1024); }

struct __attribute__((packed)) packed {
	char c;
	int4 v;
};
kernel void store_packed(global uchar *to, uint at) { AT(struct packed)->v = (int4)(1, 2, 3, 4); }
kernel void copy_packed(global uchar *to, uint at) { *AT(struct packed) = *(global struct packed *)(to + 128); }

kernel void fract_float2(global uchar *to, uint at) { to[0] = fract((float2)(1.5f, 2.5f), AT(float2)).x > 0; }
kernel void frexp_double2(global uchar *to, uint at) { to[0] = frexp((double2)(1.5, 2.5), AT(int2)).x > 0; }
kernel void store_local(global uchar *to, uint at) {
	local uint4 tile[4];
	*(local uint4 *)((local uchar *)tile + at) = (uint4)(get_local_id(0));
	barrier(CLK_LOCAL_MEM_FENCE);
	to[0] = tile[1].x;
}
