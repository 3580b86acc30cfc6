package cmdline

import (
	"io"
	"testing"
)

func TestReadLimited(t *testing.T) {
	if _, err := ReadLimited(zeros{}, 1000); err == nil || err.Error() != "larger than 1000 bytes" {
		t.Errorf("error %v", err)
	}
	if data, err := ReadLimited(io.LimitReader(zeros{}, 1000), 1000); err != nil || len(data) != 1000 {
		t.Errorf("%d bytes, error %v", len(data), err)
	}
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) {
	clear(p)
	return len(p), nil
}
