package main

import (
	"slices"
	"testing"
)

func TestSaxpy(t *testing.T) {
	got, err := saxpy(-0.5, []float32{2, 4, 6}, []float32{1, 2, 3})
	if err != nil {
		t.Fatal(err)
	}
	if want := []float32{0, 0, 0}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}
