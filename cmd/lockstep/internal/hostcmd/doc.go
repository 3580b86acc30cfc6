// Package hostcmd has the commands about OpenCL programs that use lockstep as their driver: exec, which starts one, and
// driver, which says where the driver is.
//
// A program gets its options in environment variables of package internal/hostrun, whose records, tallies and stops come
// back. It is not the driver, which is cmd/opencl, and reads no module but the records of launches.
package hostcmd
