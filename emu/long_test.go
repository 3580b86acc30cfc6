package emu_test

import (
	"flag"
	"testing"
)

// long is set where .ci/run runs the tests of this package once more.
var long = flag.Bool("long", false, "run more of what is random, or is one of many combinations")

// amount chooses among how much of something a test runs: with -short, by itself, and with -long.
func amount(short, usual, most int) int {
	switch {
	case *long:
		return most
	case testing.Short():
		return short
	}
	return usual
}
