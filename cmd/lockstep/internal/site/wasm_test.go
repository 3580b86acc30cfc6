package site

import (
	"bytes"
	"encoding/binary"
	"strings"
	"testing"
)

// section returns a section of a program.
func section(id byte, body string) string {
	return string(binary.AppendUvarint([]byte{id}, uint64(len(body)))) + body
}

// data returns a segment at an address.
func data(at uint64, text string) string {
	return string(appendAddress([]byte{0, 0x41}, at)) + "\x0b" + string(binary.AppendUvarint(nil, uint64(len(text)))) + text
}

// TestSplit joins segments that are near, in the order of their addresses.
func TestSplit(t *testing.T) {
	far := uint64(100000 + farSegments + 100)
	code := wasmMagic + section(5, "\x01\x00\x01") + section(10, "\x00")
	rest := section(0, "\x04name")
	segments := "\x05" + data(far, "far") + data(100000, "abc") + data(100010, "d") + data(0xF0000000, "high") + data(100003, "e")
	gotCode, gotData, err := split([]byte(code + section(11, segments) + rest))
	if err != nil {
		t.Fatal(err)
	}
	want := section(11, "\x03"+data(100000, "abce\x00\x00\x00\x00\x00\x00d")+data(far, "far")+data(0xF0000000, "high")) + rest
	if string(gotCode) != code || string(gotData) != want {
		t.Errorf("%.200q\n%.200q, and not\n%.200q", gotCode, gotData, want)
	}
	if gotCode, gotData, err = split([]byte(code)); err != nil || string(gotCode) != code || len(gotData) > 0 {
		t.Errorf("without data: %q, %q, %v", gotCode, gotData, err)
	}
}

// TestSplitWrong has programs that are none, or not as the Go toolchain makes them.
func TestSplitWrong(t *testing.T) {
	whole := section(11, "\x01"+data(8, "abc"))
	for name, test := range map[string]struct{ program, want string }{
		"text":     {"#!/bin/sh", "does not begin"},
		"cut off":  {wasmMagic + whole[:len(whole)-1], "is cut off"},
		"passive":  {wasmMagic + section(11, "\x01\x01\x03abc"), "not put to a fixed address"},
		"computed": {wasmMagic + section(11, "\x01\x00\x23\x00\x0b\x03abc"), "not put to a fixed address"},
		"over":     {wasmMagic + section(11, "\x02"+data(8, "abc")+data(10, "d")), "over data"},
		"more":     {wasmMagic + section(11, "\x01"+data(8, "abc")+"x"), "is wrong"},
		"fewer":    {wasmMagic + section(11, "\x02"+data(8, "abc")), "not put to a fixed address"},
	} {
		if _, _, err := split([]byte(test.program)); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestAddresses writes and reads numbers as i32.const has them.
func TestAddresses(t *testing.T) {
	for at, want := range map[uint64]string{
		0: "\x00", 63: "\x3f", 64: "\xc0\x00", 128: "\x80\x01", 272419: "\xa3\xd0\x10", 1<<31 - 1: "\xff\xff\xff\xff\x07",
		0xFFFFFFFF: "\x7f", 0x80000000: "\x80\x80\x80\x80\x78",
	} {
		if got := appendAddress(nil, at); string(got) != want {
			t.Errorf("%d: %x, and not %x", at, got, want)
		}
		r := &wasmReader{rest: []byte(want)}
		if got := r.address(); got != at || r.failed || len(r.rest) > 0 {
			t.Errorf("%x: %d, and not %d", want, got, at)
		}
	}
}

// TestCompress compresses a program, as xz.
func TestCompress(t *testing.T) {
	got, err := compress([]byte(wasmMagic + section(11, "\x01"+data(8, "abc"))))
	if err != nil || !bytes.HasPrefix(got, []byte("\xfd7zXZ\x00")) {
		t.Errorf("%q, %v", got, err)
	}
	if _, err := compress([]byte("no program")); err == nil {
		t.Error("it took no program")
	}
}
