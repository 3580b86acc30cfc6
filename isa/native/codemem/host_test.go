package codemem

import (
	"errors"
	"runtime"
	"strings"
	"testing"

	"github.com/lockstep-gpu/lockstep/isa/native/amd64"
)

func TestNarrow(t *testing.T) {
	const (
		v3   = amd64.AVX2
		v4   = amd64.AVX2 | amd64.AVX512
		more = v4 | amd64.VBMI | amd64.VPOPCNTDQ
	)
	for _, c := range []struct {
		has   amd64.Features
		value string
		want  amd64.Features
		err   string
	}{
		{more, "", more, ""},
		{more, "avx512", v4, ""},
		{more, "avx2", v3, ""},
		{more, "none", 0, `LOCKSTEP_CPU is "none"`},
		{more, "sse9", 0, "may be none, avx2 or avx512"},
		{v3, "", v3, ""},
		{v3, "avx2", v3, ""},
		{v3, "avx512", 0, "has no AVX-512"},
		{0, "", 0, "lacks AVX2"},
		{0, "avx2", 0, "lacks AVX2"},
		{0, "none", 0, `LOCKSTEP_CPU is "none"`},
	} {
		got, err := narrow(c.has, c.value)
		if runtime.GOARCH != "amd64" {
			if !errors.Is(err, ErrUnsupported) || !errors.Is(err, errors.ErrUnsupported) {
				t.Errorf("%q: %v", c.value, err)
			}
			continue
		}
		switch {
		case got != c.want, (err != nil) != (c.err != ""):
			t.Errorf("%b narrowed by %q: %b, %v", c.has, c.value, got, err)
		case err != nil && (!errors.Is(err, ErrProcessor) || !strings.Contains(err.Error(), c.err)):
			t.Errorf("%b narrowed by %q: %v", c.has, c.value, err)
		}
	}
}

// TestHost sees that there is an answer, the same each time, and that each feature comes with those below it.
func TestHost(t *testing.T) {
	f, err := Host()
	if again, err2 := Host(); again != f || err2 != err {
		t.Errorf("%b, %v and then %b, %v", f, err, again, err2)
	}
	if (f == 0) != (err != nil) {
		t.Errorf("%b, %v", f, err)
	}
	if f != 0 && f&amd64.AVX2 == 0 || f&^amd64.AVX2 != 0 && f&amd64.AVX512 == 0 {
		t.Errorf("features %b", f)
	}
	t.Logf("%b, %v", f, err)
}
