package main

import (
	"bytes"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/lockstep-gpu/lockstep/emu"
)

// TestConversions compares conversions between all types, in all roundings and with saturation, with exact arithmetic, on
// each engine: all numbers of 16 bits or fewer, and those of more bits that are hard or random.
func TestConversions(t *testing.T) {
	list := conversions(false)
	inputs, some := map[*format][]uint64{}, map[*format][]uint64{}
	for _, f := range formats {
		inputs[f] = inputsOf(f)
		some[f] = thinned(inputs[f], 5000)
	}
	first := map[*conversion][]byte{}
	for _, engine := range emu.Engines()[1:] {
		v, err := newConverter(engine, list)
		if err != nil {
			t.Fatal(err)
		}
		defer v.device.Close()
		for _, c := range list {
			codes := inputs[c.from]
			if c.width > 1 {
				codes = some[c.from]
			}
			got, err := v.run(c, codes)
			if err != nil {
				t.Fatal(err)
			}
			if first[c] != nil {
				if !bytes.Equal(got, first[c]) {
					t.Errorf("%s: engine %s gives other results", c.kernel(), engine)
				}
				continue
			}
			first[c] = got
			count := 0
			c.check(codes, got, func(f form, code, got, want uint64) {
				if count++; count <= 2 {
					t.Errorf("%s: %s, %+v: %#x gives %#x, want %#x", engine, c.kernel(), f, code, got, want)
				}
			})
		}
	}
}

// TestExactTable checks that the second part of the table is the one of the conversions and operations that there are, and
// that no result was wrong.
func TestExactTable(t *testing.T) {
	section, err := readSection(tableFile)
	if err != nil {
		t.Fatal(err)
	}
	list := conversions(true)
	want := conversionIntro
	for _, from := range formats {
		want += conversionLine(from, list, 0)
	}
	want += halfIntro
	for k := range halfOperations {
		want += halfLine(k, 0)
	}
	if diff := cmp.Diff(want, section); diff != "" {
		t.Errorf("run go run ./conformance/accuracy -exact: %s", diff)
	}
}
