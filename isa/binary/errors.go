package binary

import (
	"errors"
	"fmt"
)

// Errors that callers tell apart with errors.Is.
var (
	// ErrNotBinary is data that does not start with [Magic].
	ErrNotBinary = errors.New("not a binary of lockstep")
	// ErrTruncated is a binary that ends too early.
	ErrTruncated = errors.New("the binary is cut short")
	// ErrDamaged is a binary whose bytes are not those that were written.
	ErrDamaged = errors.New("the binary is damaged")
	// ErrUnencodable is a [File] that no binary can hold.
	ErrUnencodable = errors.New("cannot be written as a binary")
)

// VersionError is a binary of a version of lockstep with another format or
// another instruction set.
type VersionError struct {
	Format, WantFormat uint32
	// Layout and WantLayout are hashes; zero when the format differs.
	Layout, WantLayout Fingerprint
}

// Error says which versions, and what to do.
func (e *VersionError) Error() string {
	if e.Format != e.WantFormat {
		return fmt.Sprintf("the binary was made by another version of lockstep: its format is %d, this version reads %d; compile the module again", e.Format, e.WantFormat)
	}
	return fmt.Sprintf("the binary was made by another version of lockstep: its instruction set is %s, that of this version %s; compile the module again", e.Layout, e.WantLayout)
}

// DamageError says where a binary is not what it should be. It wraps
// [ErrTruncated] or [ErrDamaged].
type DamageError struct {
	Offset int // byte of the binary
	Reason string
	Err    error
}

// Error gives "the binary is damaged: byte N: reason".
func (e *DamageError) Error() string {
	return fmt.Sprintf("%v: byte %d: %s", e.Err, e.Offset, e.Reason)
}

// Unwrap returns ErrTruncated or ErrDamaged.
func (e *DamageError) Unwrap() error { return e.Err }

func damaged(offset int, format string, args ...any) error {
	return &DamageError{Offset: offset, Reason: fmt.Sprintf(format, args...), Err: ErrDamaged}
}

func truncated(offset int, format string, args ...any) error {
	return &DamageError{Offset: offset, Reason: fmt.Sprintf(format, args...), Err: ErrTruncated}
}
