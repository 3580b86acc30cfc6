package main

import (
	"strings"

	"github.com/lockstep-gpu/lockstep/conformance/kernels/judge/ocl"
)

// known lists where implementations depart from the OpenCL specification, each
// seen with the version given, by a word of the device's driver or name.
var known = []struct {
	implementation, kernel, why string
}{
	{"oclgrind", "collatz", "a switch on the 2-bit selector that its optimizer makes goes to the default; right with -cl-opt-disable"},
	{"oclgrind", "machine", "a switch on the 3-bit selector that its optimizer makes goes to the default; right with -cl-opt-disable"},
	{"oclgrind", "register_machine", "a switch on the 3-bit selector that its optimizer makes goes to the default; right with -cl-opt-disable"},
	{"oclgrind", "constants", "initial values of program-scope pointers are not supported"},
	{"oclgrind", "variables", "initial values of program-scope pointers are not supported"},
	{"oclgrind", "convert_from_float", "NaN converted with saturation gives the lowest value, not 0"},
	{"oclgrind", "convert_from_double", "NaN converted with saturation gives the lowest value, not 0"},
	// NaN: "NaN will be converted to 0" (SPIR-V, SaturatedConversion); OpenCL C 6.4.3.3 only says "should".
	{"nvidia", "convert_from_float", "NaN converted with saturation gives the lowest value, not 0"},
	{"nvidia", "convert_from_double", "NaN converted with saturation gives the lowest value, not 0"},
	// "Returns a * b + c and saturates the result" (OpenCL C 6.15.3): mad_sat(1, LONG_MAX, c) with a positive c.
	{"nvidia", "int_i64", "mad_sat of long wraps"},
	// A conversion to a signed type keeps the least significant bits (OpenCL C 6.4.3): (short)-(ushort)SHRT_MIN is SHRT_MIN.
	{"nvidia", "int_i16", "(long)(short)-(ushort)a gives 32768 for SHRT_MIN: the conversion to short is lost"},
	{"oclgrind", "convert_in_range", "_rtp and _rtn of vectors are swapped"},
	{"oclgrind", "int_i64", "add_sat, sub_sat and mad_sat of long overflow inside"},
	{"oclgrind", "relational", "denormals count as normal, and bitselect of floats selects from their values and not their bits"},
}

// knownDifference says why the device is expected to get the kernel wrong.
func knownDifference(d ocl.Device, kernel string) (string, bool) {
	for _, k := range known {
		if k.kernel == kernel && strings.Contains(strings.ToLower(d.Name+" "+d.Version), k.implementation) {
			return k.why, true
		}
	}
	return "", false
}
