package kernels_test

import (
	"strings"
	"testing"

	"github.com/lockstep-gpu/lockstep/conformance/kernels"
)

// TestSourceFor: only kernels with sub-groups are another text for devices without them.
func TestSourceFor(t *testing.T) {
	for _, k := range kernels.All() {
		uses := strings.Contains(k.Source(), "sub_group_")
		if got := k.SourceFor("cl_khr_fp64 cl_khr_subgroups"); got != k.Source() {
			t.Errorf("%s: the source is changed for a device with sub-groups", k.Name)
		}
		switch got := k.SourceFor("cl_khr_fp64 cl_khr_subgroup_ballot"); {
		case !strings.HasSuffix(got, k.Source()):
			t.Errorf("%s: the source is not there for a device without sub-groups", k.Name)
		case uses == (got == k.Source()):
			t.Errorf("%s: uses sub-groups %t, changed %t", k.Name, uses, got != k.Source())
		}
	}
}
