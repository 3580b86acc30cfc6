package emu_test

import (
	"context"
	"errors"
	"testing"

	"github.com/lockstep-gpu/lockstep/emu"
)

// stopper lets a test go on while a launch prints, and the launch when the test says so.
type stopper struct{ here, on chan struct{} }

func (s stopper) Write(p []byte) (int, error) {
	if len(p) > 0 {
		s.here <- struct{}{}
		<-s.on
	}
	return len(p), nil
}

// TestHostBesideLaunch allocates, accesses and frees what a running launch does not use, which must not wait for it, and reads what
// it uses, which must.
func TestHostBesideLaunch(t *testing.T) {
	d := device(t, emu.DeviceOptions{Workers: 1})
	p, _, err := d.BuildProgram(`kernel void f(global int *out) {
	if (get_group_id(0) == 0)
		printf("begun\n");
	else
		out[0] = 7;
}`, "")
	if err != nil {
		t.Fatal(err)
	}
	k, err := p.Kernel("f")
	if err != nil {
		t.Fatal(err)
	}
	used, err := d.NewBuffer(64, emu.BufferOptions{})
	if err != nil {
		t.Fatal(err)
	}
	sub, err := used.Sub(0, 4)
	if err != nil {
		t.Fatal(err)
	}
	other, err := emu.NewBufferOf(d, []int32{1, 2, 3})
	if err != nil {
		t.Fatal(err)
	}
	s := stopper{make(chan struct{}), make(chan struct{})}
	l := emu.Launch{Kernel: k, Args: []emu.Arg{sub}, Range: emu.NDRange{Global: []uint64{2}, Local: []uint64{1}}, Parallel: emu.ParallelNever, Output: s}
	over := make(chan error)
	go func() {
		_, err := l.Run(context.Background())
		over <- err
	}()
	<-s.here
	fresh, err := d.NewBuffer(16, emu.BufferOptions{})
	if err == nil {
		err = errors.Join(emu.Write(fresh, 0, []int32{9}), fresh.Free(), emu.Write(other, 1, []int32{5}))
	}
	if v, rerr := emu.Read[int32](other); errors.Join(err, rerr) != nil || v[1] != 5 {
		t.Errorf("beside the launch: %v, %v, %v", v, err, rerr)
	}
	if err := fresh.Free(); !errors.Is(err, emu.ErrClosed) {
		t.Errorf("freeing twice: %v", err)
	}
	read := make(chan []int32)
	go func() {
		v, _ := emu.Read[int32](used)
		read <- v
	}()
	lent := make(chan error)
	go func() {
		b, err := d.NewBufferFrom(make([]byte, 1<<12), emu.BufferOptions{})
		if err == nil {
			err = b.Free()
		}
		lent <- err
	}()
	close(s.on)
	if err := errors.Join(<-over, <-lent); err != nil {
		t.Error(err)
	}
	if v := <-read; len(v) == 0 || v[0] != 7 {
		t.Errorf("a buffer that the launch writes holds %v when it is read", v)
	}
}
