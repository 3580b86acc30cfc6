// Command opencl is lockstep's OpenCL driver, a shared library: liblockstep.so, which the system's OpenCL loader
// finds through an .icd file, and which may also stand in the place of the loader.
//
//	go run ./build -o DIR
//
// in this folder writes the library and lockstep.icd to DIR. OCL_ICD_VENDORS=DIR/lockstep.icd makes OpenCL programs
// use it; copied to /etc/OpenCL/vendors the .icd file does so for all of them.
//
// The package is thin: entry points, handles with reference counts, and memory that the host can address. Package emu
// compiles and runs kernels. Package internal/graph knows which command of a queue may run, and internal/geometry
// which bytes a rectangle has. Each file has the entry points of one kind of object.
//
// The environment variable LOCKSTEP_OPTIONS has the options of all launches: flags of lockstep exec, which package
// internal/hostrun reads and applies. With -check kernels that read a buffer of CL_MEM_WRITE_ONLY, or write to one of
// CL_MEM_READ_ONLY, end with an error.
//
// The process stays the host's. Its threads take its signals; its handlers get SA_ONSTACK, because they may interrupt a
// goroutine. A child of fork cannot use OpenCL, unless it executes another program:
// all functions return CL_OUT_OF_RESOURCES there.
package main

//go:generate go run ./internal/entries

func main() {}
