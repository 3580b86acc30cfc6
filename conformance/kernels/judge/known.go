package main

import (
	"strings"

	"github.com/lockstep-gpu/lockstep/conformance/kernels/judge/ocl"
)

// known lists where implementations depart from the OpenCL specification, each
// seen with the version given, by a word of the device's driver or name.
var known = []struct {
	implementation, kernel, why string
}{}

// knownDifference says why the device is expected to get the kernel wrong.
func knownDifference(d ocl.Device, kernel string) (string, bool) {
	for _, k := range known {
		if k.kernel == kernel && strings.Contains(strings.ToLower(d.Name+" "+d.Version), k.implementation) {
			return k.why, true
		}
	}
	return "", false
}
