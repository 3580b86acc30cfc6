package conformance

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"math"

	"github.com/lockstep-gpu/lockstep/emu/argspec"
)

// maxShown bounds the differing elements that one message lists.
const maxShown = 8

// compare returns what is wrong with the contents of a buffer, or "". what says
// which buffer it is.
func (w *want) compare(what string, got []byte) string {
	if w.sha != "" {
		if sum := sha256.Sum256(got); hex.EncodeToString(sum[:]) != w.sha {
			return fmt.Sprintf("%s: sha256 of its %d bytes is %x, want %s", what, len(got), sum, w.sha)
		}
		return ""
	}
	if bytes.Equal(got, w.data) {
		return ""
	}
	if len(got) != len(w.data) {
		return fmt.Sprintf("%s: %d bytes, want %d", what, len(got), len(w.data))
	}
	return w.elements(what, got)
}

// elements lists the elements that differ by more than the tolerance.
func (w *want) elements(what string, got []byte) string {
	size := w.typ.Size()
	differ, shown := 0, []byte(nil)
	for i := 0; i+size <= len(got); i += size {
		g, e := got[i:i+size], w.data[i:i+size]
		if bytes.Equal(g, e) || (w.ULP > 0 && ulps(w.typ, g, e) <= w.ULP) {
			continue
		}
		if differ++; differ > maxShown {
			continue
		}
		shown = fmt.Appendf(shown, "\n  [%d] is ", i/size)
		shown = argspec.AppendValue(shown, w.typ, g)
		shown = append(shown, ", want "...)
		shown = argspec.AppendValue(shown, w.typ, e)
		if w.ULP > 0 {
			if d := ulps(w.typ, g, e); d != math.MaxUint64 {
				shown = fmt.Appendf(shown, ", %d ulp away", d)
			}
		}
	}
	if differ == 0 {
		return ""
	}
	head := fmt.Sprintf("%s: %d of %d %v differ", what, differ, len(got)/size, w.typ)
	if w.ULP > 0 {
		head += fmt.Sprintf(" by more than %d ulp", w.ULP)
	}
	return head + ":" + string(shown)
}

// ulps returns how many numbers of the type lie between the two, counting one of
// them: 0 for the same value (both zeros are one value), the largest uint64 when exactly
// one is a NaN. All NaNs count as equal, since their bits are not specified.
func ulps(t argspec.Type, a, b []byte) uint64 {
	x, xNaN := ordinal(t, a)
	y, yNaN := ordinal(t, b)
	switch {
	case xNaN && yNaN:
		return 0
	case xNaN || yNaN:
		return math.MaxUint64
	case x < y:
		x, y = y, x
	}
	return uint64(x) - uint64(y)
}

// ordinal numbers the values of a floating-point type in their order, zeros at 0.
func ordinal(t argspec.Type, b []byte) (n int64, nan bool) {
	var bits, sign, inf int64
	switch t.Size() {
	case 2:
		bits, sign, inf = int64(binary.LittleEndian.Uint16(b)), 1<<15, 0x7c00
	case 4:
		bits, sign, inf = int64(binary.LittleEndian.Uint32(b)), 1<<31, 0x7f800000
	default:
		bits, sign, inf = int64(binary.LittleEndian.Uint64(b)), math.MinInt64, 0x7ff0000000000000
	}
	magnitude := bits &^ sign
	if bits&sign != 0 {
		return -magnitude, magnitude > inf
	}
	return magnitude, magnitude > inf
}
