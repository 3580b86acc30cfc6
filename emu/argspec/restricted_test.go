package argspec

import (
	"errors"
	"testing"
)

// TestParseRestricted: buffers that kernels may only read, or only write.
func TestParseRestricted(t *testing.T) {
	for spec, want := range map[string]Arg{
		"ro:buf:u8:1,2":           {Count: 2, ReadOnly: true},
		"wo:zero:u8:2":            {Count: 2, WriteOnly: true},
		"wo:fill:u8:3:7:as-bytes": {Count: 3, WriteOnly: true, Raw: true},
	} {
		a, err := Parse(spec, nil)
		if err != nil {
			t.Errorf("%s: %v", spec, err)
			continue
		}
		if a.Kind != Buffer || a.Count != want.Count || a.ReadOnly != want.ReadOnly || a.WriteOnly != want.WriteOnly || a.Raw != want.Raw {
			t.Errorf("%s: %+v", spec, a)
		}
	}
	if _, a, err := ParseBuffer("b=wo:zero:u8:2", nil); err != nil || !a.WriteOnly || a.ReadOnly {
		t.Errorf("a buffer with a name: %+v, %v", a, err)
	}
	for spec, column := range map[string]int{"ro:": 4, "wo:i32:4": 4, "ro:wo:zero:u8:1": 4, "ro:null": 4, "ro:zero:u9:1": 9} {
		var e *Error
		if _, err := Parse(spec, nil); !errors.As(err, &e) || e.Column != column {
			t.Errorf("%s: %v; want an error at column %d", spec, err, column)
		}
	}
}
