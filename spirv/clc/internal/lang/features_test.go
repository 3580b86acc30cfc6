package lang

import "testing"

// TestFeatures has extensions by version and by what they need.
func TestFeatures(t *testing.T) {
	seen := make(map[string]bool)
	for _, f := range Features {
		if seen[f.Name] || f.Since == 0 || f.With != "" && !Known(f.With) {
			t.Errorf("the row of %s is not right", f.Name)
		}
		seen[f.Name] = true
		o := Options{Version: CL30, AddressBits: 64}
		if !o.Has(f.Name) {
			t.Errorf("%s is not in OpenCL C 3.0", f.Name)
		}
	}
	for _, c := range []struct {
		v       Version
		without string
		name    string
		want    bool
	}{
		{CL10, "", "cl_khr_fp64", true}, {CL12, "", "cl_khr_subgroups", false}, {CL20, "", "cl_khr_subgroup_rotate", true},
		{CL20, "", "__opencl_c_fp64", false}, {CL30, "", "__opencl_c_fp64", true}, {CL30, "cl_khr_fp64", "__opencl_c_fp64", false},
		{CL30, "cl_khr_subgroups", "cl_khr_subgroup_rotate", false}, {CL30, "", "cl_khr_nonsense", false}, {CL30, "", "", true},
	} {
		o := Options{Version: c.v, Without: map[string]bool{c.without: true}}
		if got := o.Has(c.name); got != c.want {
			t.Errorf("%s in %d without %q: %v", c.name, c.v, c.without, got)
		}
	}
	first := func(_ string, all []string) string { return all[0] }
	if got := Nearest("x", first); got != Features[0].Name {
		t.Errorf("Nearest chose from another list: %s", got)
	}
}
