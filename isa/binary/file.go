package binary

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"reflect"
	"slices"

	"github.com/lockstep-gpu/lockstep/isa"
	"github.com/lockstep-gpu/lockstep/spirv"
)

// Magic is how every binary starts.
const Magic = "LOCKSTEP"

// FormatVersion is the version of the format that this package writes and reads.
const FormatVersion = 1

// headerBytes is the size of what stands in front of the sections.
const headerBytes = 32

// crcFrom is the first byte that the checksum covers. What is in front of it
// can only be one value, or is the checksum.
const crcFrom = 16

// sectionHead is the size of a section's tag and length.
const sectionHead = 12

// File is what a binary holds.
type File struct {
	Target  Target
	Program *isa.Program
	// Info is what the module said of itself.
	Info *spirv.Info
	// Module is the SPIR-V module that the program was compiled from, for the
	// instructions and the source text in messages; nil when it was left out.
	Module []byte
	// Notes belong to whoever wrote the binary. Encode sorts them by name.
	Notes []Note
}

// Target is the machine that a program was compiled for.
type Target struct {
	Name string // of the device
	// SubgroupSize is the number of lanes of a sub-group. The bytecode has it built in. Kernels
	// with a Kernel.ReqdSubgroup of their own have that built in instead.
	SubgroupSize int
	// MaxWorkGroupSize and LocalMemory are the limits that the program was
	// compiled under, in work-items and bytes. Launches are checked against
	// those of the device that they run on.
	MaxWorkGroupSize int
	LocalMemory      uint64
}

// Note is a piece of data with a name.
type Note struct {
	Name string
	Data []byte
}

// Note returns the data of the note of the given name; ok is false when there
// is none.
func (f *File) Note(name string) (data []byte, ok bool) {
	for i := range f.Notes {
		if f.Notes[i].Name == name {
			return f.Notes[i].Data, true
		}
	}
	return nil, false
}

// Header is what stands in front of a binary's sections.
type Header struct {
	Format uint32
	CRC    uint32 // CRC-32C of what follows
	Size   uint64 // bytes, header included
	Layout Fingerprint
}

// IsBinary says whether data starts like a binary.
func IsBinary(data []byte) bool { return bytes.HasPrefix(data, []byte(Magic)) }

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// sections has the tags in their order.
var sections = [...]string{"STRS", "TARG", "PROG", "INFO", "NOTE", "SPIR"}

// Encode returns the binary of f. Slices without elements come back as nil. The
// error wraps [ErrUnencodable]: there is no program, or there are two notes of one name.
// A program that does not pass [isa.Program.Verify] has a binary, which [Decode] refuses.
func Encode(f *File) ([]byte, error) {
	if f == nil || f.Program == nil {
		return nil, fmt.Errorf("no program: %w", ErrUnencodable)
	}
	notes := slices.Clone(f.Notes)
	slices.SortStableFunc(notes, func(a, b Note) int { return cmp.Compare(a.Name, b.Name) })
	for i := range notes {
		if i > 0 && notes[i-1].Name == notes[i].Name {
			return nil, fmt.Errorf("two notes are called %q: %w", notes[i].Name, ErrUnencodable)
		}
	}
	return encode(f.Target, f.Program, f.Info, notes, f.Module), nil
}

// encode writes a file whose parts have been checked.
func encode(target Target, program *isa.Program, info *spirv.Info, notes []Note, module []byte) []byte {
	w := newWriter()
	var bodies [len(sections)][]byte
	for i, v := range []reflect.Value{reflect.ValueOf(&target), reflect.ValueOf(program), reflect.ValueOf(&info), reflect.ValueOf(&notes)} {
		w.out = nil
		planOf(v.Type().Elem()).write(w, v.Elem())
		bodies[i+1] = w.out
	}
	bodies[0] = w.table()
	bodies[len(bodies)-1] = module
	size := headerBytes
	for _, b := range bodies {
		size += sectionHead + len(b)
	}
	out := make([]byte, headerBytes, size)
	for i, b := range bodies {
		out = append(out, sections[i]...)
		out = binary.LittleEndian.AppendUint64(out, uint64(len(b)))
		out = append(out, b...)
	}
	layout := Layout()
	copy(out, Magic)
	binary.LittleEndian.PutUint32(out[8:], FormatVersion)
	binary.LittleEndian.PutUint64(out[16:], uint64(size))
	copy(out[24:], layout[:])
	Seal(out)
	return out
}

// Seal sets the checksum of a binary to that of its bytes. It is for tools that
// change binaries on purpose; data that is too short stays as it is.
func Seal(data []byte) {
	if len(data) >= headerBytes {
		binary.LittleEndian.PutUint32(data[12:], crc32.Checksum(data[crcFrom:], castagnoli))
	}
}

// ReadHeader reads the header of a binary and checks that it starts like one,
// nothing else. The error wraps [ErrNotBinary] or [ErrTruncated].
func ReadHeader(data []byte) (Header, error) {
	if !IsBinary(data) {
		if len(data) < len(Magic) && len(data) > 0 && Magic[:len(data)] == string(data) {
			return Header{}, truncated(len(data), "the header has %d bytes", headerBytes)
		}
		return Header{}, fmt.Errorf("it does not start with %q: %w", Magic, ErrNotBinary)
	}
	if len(data) < headerBytes {
		return Header{}, truncated(len(data), "the header has %d bytes", headerBytes)
	}
	h := Header{
		Format: binary.LittleEndian.Uint32(data[8:]),
		CRC:    binary.LittleEndian.Uint32(data[12:]),
		Size:   binary.LittleEndian.Uint64(data[16:]),
	}
	copy(h.Layout[:], data[24:])
	return h, nil
}

// Decode reads a binary. The error wraps [ErrNotBinary], [ErrTruncated] or
// [ErrDamaged], is a [*VersionError], or wraps [isa.ErrMalformed] when the program is
// not one that can be run. data is not retained.
func Decode(data []byte) (*File, error) {
	h, err := ReadHeader(data)
	if err != nil {
		return nil, err
	}
	switch {
	case h.Format != FormatVersion:
		return nil, &VersionError{Format: h.Format, WantFormat: FormatVersion}
	case h.Size > uint64(len(data)):
		return nil, truncated(len(data), "the header says %d bytes", h.Size)
	case h.Size < uint64(len(data)):
		return nil, damaged(int(h.Size), "%d bytes follow the end", uint64(len(data))-h.Size)
	}
	if sum := crc32.Checksum(data[crcFrom:], castagnoli); sum != h.CRC {
		return nil, damaged(12, "the checksum is %08x, that of the bytes %08x", h.CRC, sum)
	}
	if want := Layout(); h.Layout != want {
		return nil, &VersionError{Format: h.Format, WantFormat: FormatVersion, Layout: h.Layout, WantLayout: want}
	}
	f := &File{Program: &isa.Program{}}
	r := &reader{data: data, pos: headerBytes}
	values := []reflect.Value{{}, reflect.ValueOf(&f.Target), reflect.ValueOf(f.Program), reflect.ValueOf(&f.Info), reflect.ValueOf(&f.Notes)}
	for i, tag := range sections {
		if err := r.section(tag); err != nil {
			return nil, err
		}
		switch {
		case i == 0:
			r.table()
		case i < len(values):
			planOf(values[i].Type().Elem()).read(r, values[i].Elem())
		case r.pos < r.end:
			f.Module = bytes.Clone(data[r.pos:r.end])
			r.pos = r.end
		}
		if r.err == nil && r.pos != r.end {
			r.fail("%d bytes of section %s are left over", r.end-r.pos, tag)
		}
		if r.err != nil {
			return nil, r.err
		}
	}
	if r.pos != len(data) {
		return nil, damaged(r.pos, "%d bytes follow the last section", len(data)-r.pos)
	}
	for i := range f.Notes {
		if i > 0 && f.Notes[i-1].Name >= f.Notes[i].Name {
			return nil, damaged(r.pos, "the notes are not in order")
		}
	}
	if err := f.Program.Verify(); err != nil {
		return nil, err
	}
	return f, nil
}
