package race

import "testing"

// TestRestricts: the same byte, by the same work-item, through two parameters one of which is restrict,
// with a write.
func TestRestricts(t *testing.T) {
	if NewRestricts([]RestrictParam{{Restrict: true, Size: 8}}) != nil {
		t.Error("something is followed")
	}
	type access struct {
		param  int
		offset int64
		write  bool
		item   uint64
	}
	for name, c := range map[string]struct {
		list  []access
		other int
	}{
		"read and written":      {[]access{{0, 8, false, 3}, {1, 0, true, 3}}, 0},
		"written and read":      {[]access{{0, 8, true, 3}, {1, 0, false, 3}}, 0},
		"partly":                {[]access{{1, 0, true, 0}, {0, 6, false, 0}}, 1},
		"read twice":            {[]access{{0, 8, false, 3}, {1, 0, false, 3}}, -1},
		"by two work-items":     {[]access{{0, 8, false, 3}, {1, 0, true, 4}}, -1},
		"other bytes":           {[]access{{0, 0, false, 3}, {1, 0, true, 3}}, -1},
		"one parameter":         {[]access{{0, 8, false, 3}, {0, 8, true, 3}}, -1},
		"neither is restrict":   {[]access{{2, 8, false, 3}, {1, 0, true, 3}}, -1},
		"outside of the memory": {[]access{{0, 16, false, 3}, {1, -8, true, 3}}, -1},
	} {
		r := NewRestricts([]RestrictParam{{Follow: true, Restrict: true, Place: 100, Size: 16}, {Follow: true, Place: 108, Size: 8}, {Follow: true, Place: 100, Size: 16}})
		other := -1
		for _, a := range c.list {
			other, _ = r.Access(a.param, a.offset, 4, a.write, a.item)
		}
		if other != c.other {
			t.Errorf("%s: %d, want %d", name, other, c.other)
		}
	}
}

// TestRestrictsForgot: when more bytes are accessed than are remembered, that is said.
func TestRestrictsForgot(t *testing.T) {
	const size = maxRestrictBytes + 8
	r := NewRestricts([]RestrictParam{{Follow: true, Restrict: true, Size: size}, {Follow: true, Size: size}})
	for at := int64(0); at < maxRestrictBytes; at += 8 {
		r.Access(0, at, 8, true, 0)
	}
	if r.Forgot() {
		t.Error("something was forgotten while there was room")
	}
	if r.Access(0, maxRestrictBytes, 8, true, 0); !r.Forgot() {
		t.Error("nothing is said to be forgotten")
	}
	if (*Restricts)(nil).Forgot() {
		t.Error("where nothing is followed, something is said to be forgotten")
	}
}
