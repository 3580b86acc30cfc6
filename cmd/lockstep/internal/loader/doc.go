// Package loader reads the modules that commands are given: SPIR-V, its text, binaries of lockstep, LLVM bitcode and
// OpenCL C, which it has compiled as the flags say, and makes programs of them with specialization constants and pipelines
// of passes.
//
// Bytes come through a cmdline.Env, and go as a [Module] to the commands, or as an emu.Program to a device. It compiles
// nothing itself, gives kernels no arguments and runs none: see package launch.
package loader
