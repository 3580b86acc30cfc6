package main

import (
	"math"
	"strings"
	"testing"

	"github.com/lockstep-gpu/lockstep/bench"
	"github.com/lockstep-gpu/lockstep/emu/argspec"
)

// TestImages runs each kernel with images through the protocol, and measures them with a second worker of
// lockstep in the place of PoCL: both give the same bits.
func TestImages(t *testing.T) {
	ask := talk(t)
	if a := ask(request{Op: opOpen, Images: &imagesRequest{99, 64}}); !strings.Contains(a.Error, "99") {
		t.Errorf("error %q does not name the number", a.Error)
	}
	c := &comparison{sizes: "small", runs: 1, implementations: []Implementation{{Name: interpreter}, {Name: pocl}, {Name: oclgrind}},
		processes: []*process{localProcess(t), localProcess(t), nil}}
	figures, err := c.images()
	if err != nil {
		t.Fatal(err)
	}
	if len(figures) != len(bench.ImageWorkloads(64)) {
		t.Fatalf("%d figures", len(figures))
	}
	for _, f := range figures {
		if f.Table != imagesTable || f.Value <= 0 || f.Verdict != verdict(f.Value >= imagesTarget) || !strings.Contains(f.Detail, sameBits) {
			t.Errorf("%+v", f)
		}
	}
	c = &comparison{implementations: []Implementation{{Name: interpreter}}, processes: []*process{localProcess(t)}}
	f, err := c.image(bench.ImageWorkloads(64)[0], imagesRequest{0, 64})
	if err != nil || f.Verdict != "-" {
		t.Errorf("without PoCL: %+v, %v", f, err)
	}
}

func TestImageDistance(t *testing.T) {
	for _, c := range []struct {
		t    argspec.Type
		a, b []byte
		want float64
	}{
		{argspec.U8, []byte{1, 200}, []byte{4, 199}, 3},
		{argspec.I16, []byte{0xff, 0xff}, []byte{1, 0}, 2},
		{argspec.F32, []byte{0, 0, 0x80, 0x40}, []byte{0, 0, 0x40, 0x40}, 0.25}, // 4 and 3
		{argspec.U8, []byte{1}, nil, math.Inf(1)},
	} {
		if got := imageDistance(c.t, c.a, c.b); got != c.want {
			t.Errorf("%v and %v: %v, want %v", c.a, c.b, got, c.want)
		}
	}
	nan := []byte{0, 0, 0xc0, 0x7f}
	if d := imageDistance(argspec.F32, nan, []byte{0, 0, 0, 0}); d <= 1 {
		t.Errorf("a NaN is %v from 0", d)
	}
	w := bench.ImageWorkloads(64)[0]
	if _, err := imageAgreement(w, []string{"a", "b"}, [][]byte{{1}, {9}}, 1); err == nil || !strings.Contains(err.Error(), "differs") {
		t.Errorf("error %v", err)
	}
}
