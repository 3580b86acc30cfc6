package memory

import (
	"bytes"
	"testing"
)

// TestCopy copies around the size from which several processors copy.
func TestCopy(t *testing.T) {
	src := make([]byte, 3*largeCopy+77)
	for i := range src {
		src[i] = byte(i * 7 >> 3)
	}
	for _, n := range []int{0, 1, largeCopy, 2 * largeCopy, 2*largeCopy + 1, 3*largeCopy - 1, len(src)} {
		dst := make([]byte, n+64)
		if got := Copy(dst[:n], src); got != n {
			t.Errorf("%d bytes copied, want %d", got, n)
		}
		if !bytes.Equal(dst[:n], src[:n]) || !bytes.Equal(dst[n:], make([]byte, 64)) {
			t.Errorf("%d bytes: not what was there", n)
		}
		if got := Copy(dst[:n], src[:n/2]); got != n/2 {
			t.Errorf("%d bytes copied, want %d", got, n/2)
		}
	}
}
