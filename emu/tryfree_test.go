package emu_test

import (
	"context"
	"errors"
	"testing"

	"github.com/lockstep-gpu/lockstep/emu"
)

// TestTryFree frees everything that there is while a launch runs, which is refused, and when it is over.
func TestTryFree(t *testing.T) {
	d := device(t, emu.DeviceOptions{Workers: 1})
	p, _, err := d.BuildProgram(`kernel void f(void) { printf("begun\n"); }`, "")
	if err != nil {
		t.Fatal(err)
	}
	k, err := p.Kernel("f")
	if err != nil {
		t.Fatal(err)
	}
	buffer, berr := d.NewBufferFrom(make([]byte, 1<<12), emu.BufferOptions{})
	image, ierr := d.NewImage(emu.ImageDesc{Kind: emu.Image2D, Width: 4, Height: 4}, rgba8(emu.UnormInt8), emu.ImageOptions{})
	pipe, perr := d.NewPipe(emu.PipeOptions{PacketBytes: 4, Capacity: 4})
	svm, serr := d.NewSVM(64, emu.SVMOptions{})
	if err := errors.Join(berr, ierr, perr, serr); err != nil {
		t.Fatal(err)
	}
	frees := map[string]func() error{"buffer": buffer.TryFree, "image": image.TryFree, "pipe": pipe.TryClose, "svm": svm.TryFree}
	s := stopper{make(chan struct{}), make(chan struct{})}
	l := emu.Launch{Kernel: k, Range: emu.Range(1), Output: s}
	over := make(chan error)
	go func() {
		_, err := l.Run(context.Background())
		over <- err
	}()
	<-s.here
	for name, free := range frees {
		if err := free(); !errors.Is(err, emu.ErrBusy) {
			t.Errorf("%s, while a launch runs: %v", name, err)
		}
	}
	close(s.on)
	if err := <-over; err != nil {
		t.Fatal(err)
	}
	for name, free := range frees {
		if err := free(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if err := free(); !errors.Is(err, emu.ErrClosed) {
			t.Errorf("%s, twice: %v", name, err)
		}
	}
	if err := errors.Join((*emu.Buffer)(nil).TryFree(), (*emu.Image)(nil).TryFree(), (*emu.Pipe)(nil).TryClose(), (*emu.SVM)(nil).TryFree()); !errors.Is(err, emu.ErrInvalid) {
		t.Errorf("nothing: %v", err)
	}
}
