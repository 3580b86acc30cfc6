package main

import (
	"bytes"
	"os"
	"testing"
)

// TestCommittedTables checks that the committed tables are what the generator writes.
func TestCommittedTables(t *testing.T) {
	want, err := os.ReadFile("../../../native/internal/mathfn/mathtables.go")
	if err != nil {
		t.Fatal(err)
	}
	got, err := tables()
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, bytes.ReplaceAll(want, []byte("\r\n"), []byte("\n"))) {
		t.Error("mathtables.go is out of date: run go generate in isa/native/internal/mathfn")
	}
}
