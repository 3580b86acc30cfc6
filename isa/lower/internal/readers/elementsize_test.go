package readers

import (
	"fmt"
	"testing"
)

func TestElementSize(t *testing.T) {
	for s, want := range map[string]uint64{
		"PU3AS3iPU3AS1Kim9ocl_event":                      4,
		"PU3AS3Dv3_fPU3AS1KS_m9ocl_event":                 16,
		"PU3AS1Dv16_lPU3AS3KS_m9ocl_event":                128,
		"PU3AS1Dv2_cPU3AS3KS_m9ocl_event":                 2,
		"PU7CLlocalVKDhPKDhj9ocl_event":                   2,
		"PU3AS3Dv8_DF16_PU3AS1KS_m":                       16,
		"jPU3AS1hPU3AS3Khmm9ocl_event":                    1,
		"iP9ocl_event":                                    0,
		"iPm":                                             8,
		"IdE9ocl_eventN5__spv5ScopePU3AS3T_PU3AS1T_mmS1_": 8,
		"PU3AS37MyTypePU3AS1KS_m":                         0,
		"PU3AS3vmPU3AS1Kvmmmmmm9ocl_event":                0,
		"":                                                0,
		"j":                                               0,
		"P":                                               0,
		"PU":                                              0,
		"PU99999999999":                                   0,
		"PU3AS":                                           0,
		"PDv":                                             0,
		"PDv3":                                            0,
		"PDv3_":                                           0,
		"PDv17_i":                                         0,
		"PDv2_Dv2_i":                                      0,
		"PDv99999999_i":                                   0,
		"PD":                                              0,
		"I":                                               0,
		"\xff\x00P\xfe":                                   0,
		"PKKKKKKKKKKKKKi":                                 4,
	} {
		if got := elementSize(s); got != want {
			t.Errorf("%q: %d, want %d", s, got, want)
		}
	}
}

// TestElementSizes reads the names of all types that OpenCL C can copy.
func TestElementSizes(t *testing.T) {
	scalars := map[string]uint64{"c": 1, "h": 1, "s": 2, "t": 2, "Dh": 2, "i": 4, "j": 4, "f": 4, "l": 8, "m": 8, "d": 8}
	for code, size := range scalars {
		for _, n := range []uint64{1, 2, 3, 4, 8, 16} {
			typ, again, want := code, code, size
			if n > 1 {
				typ, again, want = fmt.Sprintf("Dv%d_%s", n, code), "S_", size*n
			}
			if n == 3 {
				want = 4 * size
			}
			for _, s := range []string{"PU3AS3" + typ + "PU3AS1K" + again + "m9ocl_event", "PU3AS1" + typ + "PU3AS3K" + again + "jj9ocl_event", "PU3AS1K" + typ + "m"} {
				if got := elementSize(s); got != want {
					t.Errorf("%q: %d, want %d", s, got, want)
				}
			}
		}
	}
}

// FuzzNames reads arbitrary names of imported functions.
func FuzzNames(f *testing.F) {
	f.Add("_Z21async_work_group_copyPU3AS3Dv3_fPU3AS1KS_m9ocl_event")
	f.Add("_Z17__spirv_WritePipeIiEi8ocl_pipePT_ii")
	f.Add("_Z9read_pipe8ocl_pipe13ocl_reserveidjPU3AS4Dv4_f")
	f.Add("_Z99999999999999999999a")
	f.Fuzz(func(t *testing.T, s string) {
		n := plainName(s)
		if len(n) > len(s) {
			t.Errorf("the plain name %q is longer than %q", n, s)
		}
		if size := elementSize(s); size > 128 {
			t.Errorf("an element of %d bytes", size)
		}
		if len(scalarCodes(s)) > len(s) {
			t.Errorf("%q has too many types", s)
		}
	})
}
