package mux

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/crc32"

	"github.com/lockstep-gpu/lockstep/isa"
	isabinary "github.com/lockstep-gpu/lockstep/isa/binary"
	"github.com/lockstep-gpu/lockstep/spirv"
)

// targetName is what binaries call the machine that runs them (package emu).
const targetName = "lockstep"

// noteCompiler is the note of binaries with the name of the compiler's device.
const noteCompiler = "mux.compiler"

// encodeProgram makes a binary. Its module is that of the source, for messages.
func encodeProgram(d *DeviceInfo, s *source, p *isa.Program) ([]byte, error) {
	return isabinary.Encode(&isabinary.File{
		Target: isabinary.Target{
			Name: targetName, SubgroupSize: d.lanes(), MaxWorkGroupSize: int(d.MaxWorkGroupSize), LocalMemory: d.LocalMemory,
		},
		Program: p, Info: s.info, Module: s.bytes(), Notes: []isabinary.Note{{Name: noteCompiler, Data: []byte(d.Name)}},
	})
}

// EncodeProgram returns the finalized program as a binary for [LoadExecutable]. It is what
// Module.CreateBinary of a target can return. The bytes belong to the module, which
// counts those of the last call only, and are not to be changed.
//
// Errors: [ErrOutOfMemory]; [ErrNotFinalized].
func (m *BaseModule) EncodeProgram() ([]byte, error) {
	const call = "Module.CreateBinary"
	if err := m.enter(call); err != nil {
		return nil, err
	}
	defer m.ctx.Unlock()
	if m.final == nil {
		return nil, failed(call, ErrNotFinalized, "")
	}
	m.binary.drop()
	out, err := m.encoded()
	if err != nil {
		return nil, failed(call, within(ErrFailure, err), "")
	}
	if err := m.binary.take(uint64(len(out))); err != nil {
		return nil, failed(call, err, "")
	}
	return out, nil
}

// encoded returns the binary of the finalized program, made once.
func (m *BaseModule) encoded() ([]byte, error) {
	if m.final.binary == nil {
		out, err := encodeProgram(m.target.device(), m.final.source, m.final.program)
		if err != nil {
			return nil, err
		}
		m.final.binary = out
	}
	return m.final.binary, nil
}

// Serialized modules are, with numbers in little endian:
//
//	bytes  what
//	 0- 7  serialMagic
//	 8-11  serialVersion
//	12-15  CRC-32C of all bytes from 16 on
//	16-23  number of bytes, header included
//	24     flags: serialFinalized, serialOpenCLC
//	25-    the name of the compiler's device; the options: definitions, includes, standard,
//	       flags, names and values of the compiler's own; the program: a binary of package
//	       isa/binary that has the SPIR-V module in it when finalized, else the module.
//
// Strings and the program stand behind their length, and lists behind their number, in
// the variable-length form of package encoding/binary.
const (
	serialMagic   = "LSTEPMOD"
	serialVersion = 1
	serialHeader  = 25

	serialFinalized = 1
	serialOpenCLC   = 2
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// serialize returns the module as bytes.
func (m *BaseModule) serialize() ([]byte, error) {
	o := m.Options()
	if m.image != nil && m.imageOf == o {
		return m.image, nil
	}
	if m.source == nil {
		return nil, ErrNoProgram
	}
	s, flags := m.source, byte(0)
	var program []byte
	if m.final == nil {
		program = s.bytes()
	} else {
		s, flags = m.final.source, serialFinalized
		var err error
		if program, err = m.encoded(); err != nil {
			return nil, within(ErrFailure, err)
		}
	}
	if s.openCLC {
		flags |= serialOpenCLC
	}
	out := make([]byte, serialHeader, serialHeader+len(program)+64)
	copy(out, serialMagic)
	binary.LittleEndian.PutUint32(out[8:], serialVersion)
	out[24] = flags
	text := func(s string) { out = append(binary.AppendUvarint(out, uint64(len(s))), s...) }
	list := func(l []string) {
		out = binary.AppendUvarint(out, uint64(len(l)))
		for _, s := range l {
			text(s)
		}
	}
	text(m.target.device().Name)
	list(o.Definitions)
	list(o.Includes)
	text(o.Std)
	list(o.Flags)
	var own []string
	for _, v := range o.Device {
		own = append(own, v.Name, v.Value)
	}
	list(own)
	out = append(binary.AppendUvarint(out, uint64(len(program))), program...)
	binary.LittleEndian.PutUint64(out[16:], uint64(len(out)))
	binary.LittleEndian.PutUint32(out[12:], crc32.Checksum(out[16:], castagnoli))
	m.image, m.imageOf = out, o
	return out, nil
}

// Size implements [Module].
func (m *BaseModule) Size() int {
	if m.enter("Module.Size") != nil {
		return 0
	}
	defer m.ctx.Unlock()
	out, err := m.serialize()
	if err != nil {
		return 0
	}
	return len(out)
}

// Serialize implements [Module].
func (m *BaseModule) Serialize(out []byte) (int, error) {
	const call = "Module.Serialize"
	if err := m.enter(call); err != nil {
		return 0, err
	}
	defer m.ctx.Unlock()
	image, err := m.serialize()
	if err != nil {
		return 0, failed(call, err, "")
	}
	if len(out) < len(image) {
		return 0, failed(call, ErrShortBuffer, "%d bytes, the module takes %d", len(out), len(image))
	}
	return copy(out, image), nil
}

// Deserialize implements [Module].
func (m *BaseModule) Deserialize(data []byte) error {
	const call = "Module.Deserialize"
	if err := m.enter(call); err != nil {
		return err
	}
	defer m.ctx.Unlock()
	m.clear()
	if err := m.held.take(uint64(len(data))); err != nil {
		return failed(call, err, "")
	}
	if err := m.deserialize(data); err != nil {
		m.clear()
		return failed(call, err, "")
	}
	return nil
}

func (m *BaseModule) deserialize(data []byte) error {
	bad := func(format string, args ...any) error {
		return fmt.Errorf("%s: %w", fmt.Sprintf(format, args...), ErrNotSerialized)
	}
	switch {
	case len(data) < serialHeader || string(data[:8]) != serialMagic:
		return bad("it does not start with %q", serialMagic)
	case binary.LittleEndian.Uint32(data[8:]) != serialVersion:
		return bad("it was made by another version of lockstep: its format is %d, this version reads %d; compile the program again",
			binary.LittleEndian.Uint32(data[8:]), serialVersion)
	case binary.LittleEndian.Uint64(data[16:]) != uint64(len(data)):
		return bad("it has %d bytes, and says %d", len(data), binary.LittleEndian.Uint64(data[16:]))
	case binary.LittleEndian.Uint32(data[12:]) != crc32.Checksum(data[16:], castagnoli):
		return bad("its checksum is wrong: it is damaged")
	}
	r := &serialReader{data: data[serialHeader:]}
	flags := data[24]
	name := r.text()
	o := &Options{Definitions: r.list(), Includes: r.list(), Std: r.text(), Flags: r.list()}
	own := r.list()
	for i := 0; i+1 < len(own); i += 2 {
		o.Device = append(o.Device, OptionValue{own[i], own[i+1]})
	}
	program := r.bytes()
	switch d := m.target.device(); {
	case r.broken || len(r.data) > 0 || len(own)%2 != 0 || flags&^(serialFinalized|serialOpenCLC) != 0:
		return bad("its parts do not fit together")
	case name != d.Name:
		return fmt.Errorf("it was made for %q, this is the compiler for %q: %w", name, d.Name, ErrForeignModule)
	case flags&serialFinalized == 0:
		s, err := readSource(program)
		if err != nil {
			return fmt.Errorf("%w: %w", ErrNotSerialized, err)
		}
		s.openCLC = flags&serialOpenCLC != 0
		m.source = s
	default:
		// The program itself is read when somebody asks for it: a binary may be all that is wanted,
		// and whoever loads that reads it anyway. What another version has made is refused now.
		h, err := isabinary.ReadHeader(program)
		if err == nil && (h.Format != isabinary.FormatVersion || h.Layout != isabinary.Layout()) {
			err = &isabinary.VersionError{Format: h.Format, WantFormat: isabinary.FormatVersion, Layout: h.Layout, WantLayout: isabinary.Layout()}
		}
		if err != nil {
			return within(ErrNotSerialized, err)
		}
		m.source = &source{openCLC: flags&serialOpenCLC != 0}
		m.final = &finalized{source: m.source, binary: bytes.Clone(program)}
	}
	m.options.Store(o)
	return nil
}

// loadFinal reads the program of a module that was deserialized. The context is held.
func (m *BaseModule) loadFinal() error {
	if m.final == nil || m.final.program != nil {
		return nil
	}
	d := m.target.device()
	f, err := isabinary.Decode(m.final.binary)
	switch {
	case err != nil:
		return within(ErrNotSerialized, err)
	case f.Target.SubgroupSize != d.lanes() || f.Module == nil:
		return fmt.Errorf("its program is for sub-groups of %d: %w", f.Target.SubgroupSize, ErrForeignModule)
	}
	if err := d.checkLimits(f.Program); err != nil {
		return within(ErrForeignModule, err)
	}
	if err := m.held.take(programBytes(f.Program)); err != nil {
		return err
	}
	if f.Info == nil {
		f.Info = &spirv.Info{}
	}
	m.source.info, m.source.code = f.Info, f.Module
	m.final.program = f.Program
	m.final.info, m.final.printfs = describe(m.source, f.Program)
	return nil
}

// serialReader reads what stands behind the header.
type serialReader struct {
	data   []byte
	broken bool
}

func (r *serialReader) number() uint64 {
	n, size := binary.Uvarint(r.data)
	if size <= 0 {
		r.broken = true
		r.data = nil
		return 0
	}
	r.data = r.data[size:]
	return n
}

func (r *serialReader) bytes() []byte {
	n := r.number()
	if n > uint64(len(r.data)) {
		r.broken = true
		n = 0
	}
	b := r.data[:n:n]
	r.data = r.data[n:]
	return b
}

func (r *serialReader) text() string { return string(r.bytes()) }

func (r *serialReader) list() []string {
	n := r.number()
	// Each element takes a byte at least.
	if n > uint64(len(r.data)) {
		r.broken = true
		return nil
	}
	var l []string
	for range n {
		l = append(l, r.text())
	}
	return l
}
