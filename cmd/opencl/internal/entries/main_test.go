package main

import (
	"bytes"
	"os"
	"testing"
)

// TestCurrent: the generated files are those of the functions that Go exports now.
func TestCurrent(t *testing.T) {
	list, err := read("../..")
	if err != nil {
		t.Fatal(err)
	}
	if len(list) < 130 {
		t.Errorf("%d functions", len(list))
	}
	for name, text := range files(list) {
		got, err := os.ReadFile("../../" + name)
		if err != nil || !bytes.Equal(got, text) {
			t.Errorf("%s is not what go generate in cmd/opencl writes (%v)", name, err)
		}
	}
}
