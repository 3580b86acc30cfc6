// Package xz writes the file format xz, with the compression LZMA2, for files that are written once and read often: it
// looks long for a short file. The `xz` program of any system reads what it writes.
//
// The formats are those of "The .xz File Format" 1.2 and of LZMA as 7-Zip and XZ Utils have it. A reader in JavaScript,
// which the playground's page needs, is ../site/web/xz.js.
package xz

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"math/bits"
	"sync"
)

// Block is a part of the data that is compressed by itself. Blocks are compressed at the same time.
type Block struct {
	Data []byte
	// LC, LP and PB are LZMA's parameters: how many bits of the byte before predict a byte, and how many bits of its
	// position do, for bytes that were not seen before and for the rest. LC and LP together are 4 at most, and PB too.
	LC, LP, PB int
}

// maxBlock is the greatest size of a block: positions are int32, and the dictionary is as large as the block.
const maxBlock = 1 << 30

var (
	streamMagic = []byte{0xFD, '7', 'z', 'X', 'Z', 0}
	streamFlags = []byte{0, 1} // blocks have a CRC-32 of their data
	footerMagic = []byte("YZ")
)

// Encode returns blocks compressed as one file.
func Encode(blocks ...Block) ([]byte, error) {
	packed := make([][]byte, len(blocks))
	for _, b := range blocks {
		switch {
		case len(b.Data) > maxBlock:
			return nil, fmt.Errorf("xz: a block of %d bytes; %d is the limit", len(b.Data), maxBlock)
		case b.LC < 0 || b.LP < 0 || b.LC+b.LP > 4 || b.PB < 0 || b.PB > 4:
			return nil, errors.New("xz: wrong parameters")
		}
	}
	var wait sync.WaitGroup
	for i, b := range blocks {
		wait.Go(func() { packed[i] = newEncoder(b).chunks() })
	}
	wait.Wait()

	out := append([]byte(nil), streamMagic...)
	out = append(out, streamFlags...)
	out = binary.LittleEndian.AppendUint32(out, crc32.ChecksumIEEE(streamFlags))
	index := binary.AppendUvarint([]byte{0}, uint64(len(blocks)))
	for i, b := range blocks {
		header := blockHeader(len(packed[i]), len(b.Data))
		out = append(append(out, header...), packed[i]...)
		out = pad(out)
		out = binary.LittleEndian.AppendUint32(out, crc32.ChecksumIEEE(b.Data))
		index = binary.AppendUvarint(index, uint64(len(header)+len(packed[i])+crc32.Size))
		index = binary.AppendUvarint(index, uint64(len(b.Data)))
	}
	index = pad(index)
	index = binary.LittleEndian.AppendUint32(index, crc32.ChecksumIEEE(index))
	out = append(out, index...)
	footer := binary.LittleEndian.AppendUint32(nil, uint32(len(index)/4-1))
	footer = append(footer, streamFlags...)
	out = binary.LittleEndian.AppendUint32(out, crc32.ChecksumIEEE(footer))
	out = append(out, footer...)
	return append(out, footerMagic...), nil
}

// pad appends zeros up to a multiple of four bytes.
func pad(b []byte) []byte {
	for len(b)%4 != 0 {
		b = append(b, 0)
	}
	return b
}

// blockHeader returns the header of a block, with both sizes, so that a reader knows them before it begins.
func blockHeader(packed, size int) []byte {
	h := []byte{0, 0xC0}
	h = binary.AppendUvarint(h, uint64(packed))
	h = binary.AppendUvarint(h, uint64(size))
	h = pad(append(h, 0x21, 1, dictionary(size))) // the filter LZMA2 and its properties
	h[0] = byte(len(h) / 4)
	return binary.LittleEndian.AppendUint32(h, crc32.ChecksumIEEE(h))
}

// dictionary returns the code of the smallest dictionary of at least a number of bytes: 2 or 3, times a power of two.
func dictionary(size int) byte {
	code := byte(0)
	for (2|int(code&1))<<(code/2+11) < size {
		code++
	}
	return code
}

// Limits of a chunk of LZMA2.
const (
	chunkPacked = 1 << 16
	chunkSize   = 1 << 21
	slack       = 64 // more than the range coder writes for one symbol and at the end of a chunk
)

// chunks returns the data as chunks of LZMA2, up to the end mark.
func (e *encoder) chunks() []byte {
	var out []byte
	begin := 0 // of the chunk
	end := func() {
		e.rc.flush()
		control := byte(0x80)
		if begin == 0 {
			control = 0xE0 // forget the dictionary and the state, and take new properties
		}
		size := e.pos - begin - 1
		out = append(out, control|byte(size>>16))
		out = binary.BigEndian.AppendUint16(out, uint16(size))
		out = binary.BigEndian.AppendUint16(out, uint16(len(e.rc.out)-1))
		if begin == 0 {
			out = append(out, byte((e.pb*5+e.lp)*9+e.lc))
		}
		out = append(out, e.rc.out...)
		e.rc.reset()
		begin = e.pos
	}
	for e.pos < len(e.data) {
		for _, s := range e.parse() {
			if e.rc.size() > chunkPacked-slack || e.pos+int(s.length)-begin > chunkSize {
				end()
			}
			e.encode(s)
		}
	}
	if e.pos > begin {
		end()
	}
	return append(out, 0)
}

// slotOf returns the slot of a distance, counted from 0: its two highest bits and their place.
func slotOf(distance uint32) int {
	if distance < 4 {
		return int(distance)
	}
	n := bits.Len32(distance) - 1
	return n<<1 | int(distance>>(n-1))&1
}
