package picture

import (
	"strings"
	"testing"

	"github.com/lockstep-gpu/lockstep/emu/trace"
)

// TestFigureSizes holds that pictures of large counts and of many lines stay small.
func TestFigureSizes(t *testing.T) {
	var counts []trace.LineCounts
	for i := range uint64(1000) {
		counts = append(counts, trace.LineCounts{File: "k.cl", Line: uint32(i + 1), Instructions: i, Lanes: 1 << 40, Room: 1<<40 + i, Asked: 1, CacheLines: 1 << 54})
	}
	for _, f := range []*Figure{idleFigure(counts), bytesFigure(counts)} {
		if len(f.Shapes) > 4*figureLines || !strings.Contains(strings.Join(f.Notes, " "), "988 lines") {
			t.Errorf("%s has %d shapes, and says %q", f.Title, len(f.Shapes), f.Notes)
		}
		for _, s := range f.Shapes {
			if strings.HasPrefix(s.X, "-") || strings.HasPrefix(s.W, "-") || len(s.X) > 6 || len(s.W) > 6 {
				t.Errorf("%s has the shape %+v", f.Title, s)
			}
		}
	}
}
