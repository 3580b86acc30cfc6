// One step of gravitation among n bodies: sqrt and division in a loop that
// reads every body.
// addressing: 32
#pragma OPENCL FP_CONTRACT OFF

kernel void nbody(global const float4 *body, global float4 *moved, global float4 *velocity,
                  uint n, float dt, float softening)
{
	size_t i = get_global_id(0);
	float4 me = body[i];
	float ax = 0.0f, ay = 0.0f, az = 0.0f;
	for (uint j = 0; j < n; j++) {
		float4 other = body[j];
		float dx = other.x - me.x;
		float dy = other.y - me.y;
		float dz = other.z - me.z;
		float r2 = dx * dx + dy * dy + dz * dz + softening;
		float inv = 1.0f / sqrt(r2);
		float f = other.w * inv * inv * inv;
		ax += f * dx;
		ay += f * dy;
		az += f * dz;
	}
	float4 v = velocity[i];
	v.x += ax * dt;
	v.y += ay * dt;
	v.z += az * dt;
	velocity[i] = v;
	me.x += v.x * dt;
	me.y += v.y * dt;
	me.z += v.z * dt;
	moved[i] = me;
}
