package emu

import (
	"context"
	"testing"
)

// TestPreparedBeforeShared has a launch that is prepared before the device has shared memory, and runs afterwards.
func TestPreparedBeforeShared(t *testing.T) {
	d, err := NewDevice(DeviceOptions{Workers: 1})
	if err != nil {
		t.Fatal(err)
	}
	p, _, err := d.BuildProgram(`
kernel void f(global ulong *at) { *(global int *)at[0] = 5; }
kernel void g(global ulong *at, write_only pipe int out) { int x = *(global int *)at[0]; write_pipe(out, &x); }`, "-cl-std=CL2.0")
	if err != nil {
		t.Fatal(err)
	}
	at, err := NewBufferOf(d, []uint64{0})
	if err != nil {
		t.Fatal(err)
	}
	pipe, err := d.NewPipe(PipeOptions{PacketBytes: 4, Capacity: 4})
	if err != nil {
		t.Fatal(err)
	}
	var launches []*prepared
	for _, l := range []Launch{{Args: []Arg{at}}, {Args: []Arg{at, pipe}}} {
		if l.Kernel, err = p.Kernel(string(rune('f' + len(launches)))); err != nil {
			t.Fatal(err)
		}
		l.Range = Range(1)
		q, err := l.prepare()
		if err != nil {
			t.Fatal(err)
		}
		launches = append(launches, q)
	}
	s, err := d.NewSVM(64, SVMOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if err := Write(at, 0, []uint64{s.Address() + 4}); err != nil {
		t.Fatal(err)
	}
	for _, q := range launches {
		if _, err := q.run(context.Background()); err != nil {
			t.Error(err)
		}
	}
	packet := make([]byte, 4)
	if n, err := pipe.Read(packet); err != nil || n != 4 || packet[0] != 5 || s.Bytes()[4] != 5 {
		t.Errorf("%d bytes of packets, %v, %v, %v", n, packet, s.Bytes()[:8], err)
	}
}
