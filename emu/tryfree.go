package emu

import "fmt"

// This file frees without waiting, for a host that must not stand still while a launch runs.

// tryAcquire is acquire for those who do not wait: while a launch runs, the error is [ErrBusy].
func (d *Device) tryAcquire() error {
	if d == nil || d.turn == nil {
		return fmt.Errorf("device: %w", ErrInvalid)
	}
	select {
	case d.turn <- struct{}{}:
	default:
		return ErrBusy
	}
	d.mu.Lock()
	d.held = true
	if d.closed {
		d.release()
		return fmt.Errorf("device: %w", ErrClosed)
	}
	return nil
}

// TryFree is [Buffer.Free] if nobody has to wait for it. While a launch runs, the error wraps [ErrBusy], and
// the buffer stays as it is.
func (b *Buffer) TryFree() error {
	switch {
	case b == nil || b.dev == nil:
		return fmt.Errorf("buffer: %w", ErrInvalid)
	case b.svm != nil:
		return b.Free() // which says what to do
	}
	return b.tryFree()
}

// tryFree is TryFree for all buffers.
func (b *Buffer) tryFree() error {
	if err := b.dev.tryAcquire(); err != nil {
		return fmt.Errorf("free of a buffer: %w", err)
	}
	defer b.dev.release()
	return b.drop()
}

// TryFree is [Image.Free] if nobody has to wait for it. While a launch runs, the error wraps [ErrBusy], and
// the image stays as it is.
func (im *Image) TryFree() error {
	if im == nil || im.dev == nil {
		return fmt.Errorf("image: %w", ErrInvalid)
	}
	if err := im.dev.tryAcquire(); err != nil {
		return fmt.Errorf("free of an image: %w", err)
	}
	defer im.dev.release()
	return im.drop()
}

// TryFree is [SVM.Free] if nobody has to wait for it. While a launch runs, the error wraps [ErrBusy], and the
// allocation stays.
func (s *SVM) TryFree() error {
	if s == nil || s.buf == nil {
		return fmt.Errorf("shared virtual memory: %w", ErrInvalid)
	}
	return s.free(s.buf.tryFree)
}

// TryClose is [Pipe.Close] if nobody has to wait for it. While a launch runs, the error wraps [ErrBusy], and
// the pipe stays as it is.
func (p *Pipe) TryClose() error {
	if p == nil || p.dev == nil {
		return fmt.Errorf("pipe: %w", ErrInvalid)
	}
	if err := p.dev.tryAcquire(); err != nil {
		return fmt.Errorf("close of a pipe: %w", err)
	}
	defer p.dev.release()
	if p.closed {
		return fmt.Errorf("pipe: %w", ErrClosed)
	}
	return p.drop()
}
