package asm

import "github.com/lockstep-gpu/lockstep/spirv"

// targetEnvs lists the environments that spirv-as knows with the SPIR-V version
// that each stands for.
var targetEnvs = []struct {
	name    string
	version spirv.Version
}{
	{"spv1.0", 0x00010000},
	{"spv1.1", 0x00010100},
	{"spv1.2", 0x00010200},
	{"spv1.3", 0x00010300},
	{"spv1.4", 0x00010400},
	{"spv1.5", 0x00010500},
	{"spv1.6", 0x00010600},
	{"opencl1.2", 0x00010000},
	{"opencl1.2embedded", 0x00010000},
	{"opencl2.0", 0x00010000},
	{"opencl2.0embedded", 0x00010000},
	{"opencl2.1", 0x00010000},
	{"opencl2.1embedded", 0x00010000},
	{"opencl2.2", 0x00010200},
	{"opencl2.2embedded", 0x00010200},
	{"opengl4.0", 0x00010000},
	{"opengl4.1", 0x00010000},
	{"opengl4.2", 0x00010000},
	{"opengl4.3", 0x00010000},
	{"opengl4.5", 0x00010000},
	{"vulkan1.0", 0x00010000},
	{"vulkan1.1", 0x00010300},
	{"vulkan1.1spv1.4", 0x00010400},
	{"vulkan1.2", 0x00010500},
	{"vulkan1.3", 0x00010600},
}

// TargetEnv gives the SPIR-V version of an environment as spirv-as's --target-env
// names it, for [Options].Version; ok is false when there is no such environment.
func TargetEnv(name string) (version spirv.Version, ok bool) {
	for _, e := range targetEnvs {
		if e.name == name {
			return e.version, true
		}
	}
	return 0, false
}

// TargetEnvs gives the names that [TargetEnv] knows.
func TargetEnvs() []string {
	names := make([]string, len(targetEnvs))
	for i, e := range targetEnvs {
		names[i] = e.name
	}
	return names
}
