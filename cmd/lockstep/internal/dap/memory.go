package dap

import (
	"encoding/base64"
	"fmt"
	"strconv"
	"strings"

	"github.com/google/go-dap"

	emudebug "github.com/lockstep-gpu/lockstep/emu/debug"
	"github.com/lockstep-gpu/lockstep/memory"
)

const (
	// maxRead is how many bytes one request reads, and maxInstructions how many instructions one shows.
	maxRead         = 1 << 20
	maxInstructions = 10000
)

// memoryText names memory for clients: the pointer and, of private memory, the work-item.
func memoryText(p memory.Pointer, item int) string {
	if p.Space() == memory.SpacePrivate {
		return fmt.Sprintf("%#x@%d", uint64(p), item)
	}
	return fmt.Sprintf("%#x", uint64(p))
}

// pointed reads such a name, and looks at the work-item that it is about.
func (s *server) pointed(reference string) (memory.Pointer, string, error) {
	text, at, private := strings.Cut(reference, "@")
	x, err := strconv.ParseUint(text, 0, 64)
	if err != nil {
		return 0, "", fmt.Errorf("%.40q is no memory reference of this launch", reference)
	}
	p := memory.Pointer(x)
	if private {
		item, err := strconv.Atoi(at)
		if err != nil {
			return 0, "", fmt.Errorf("%.40q is no memory reference of this launch", reference)
		}
		if err := s.session.Select(item); err != nil {
			return 0, "", err
		}
		return p, "@" + at, nil
	}
	return p, "", nil
}

func (s *server) readMemory(a *dap.ReadMemoryArguments) (any, error) {
	p, item, err := s.pointed(a.MemoryReference)
	if err != nil {
		return nil, err
	}
	if a.Count < 0 || a.Count > maxRead {
		return nil, fmt.Errorf("count is %d; 0 to %d bytes can be read at once", a.Count, maxRead)
	}
	p = p.Add(int64(clampInt(a.Offset)))
	n := int(min(uint64(a.Count), s.session.Extent(p)))
	body := dap.ReadMemoryResponseBody{Address: fmt.Sprintf("%#x%s", uint64(p), item), UnreadableBytes: a.Count - n}
	if n > 0 {
		data, err := s.session.ReadMemory(p, n)
		if err != nil {
			return nil, err
		}
		body.Data = base64.StdEncoding.EncodeToString(data)
	}
	return body, nil
}

func (s *server) writeMemory(a *dap.WriteMemoryArguments) (any, error) {
	p, _, err := s.pointed(a.MemoryReference)
	if err != nil {
		return nil, err
	}
	data, err := base64.StdEncoding.DecodeString(a.Data)
	if err != nil {
		return nil, fmt.Errorf("data is no base64: %w", err)
	}
	p = p.Add(int64(clampInt(a.Offset)))
	if room := s.session.Extent(p); uint64(len(data)) > room {
		if !a.AllowPartial {
			return nil, fmt.Errorf("%d bytes do not fit: the memory ends after %d", len(data), room)
		}
		data = data[:room]
	}
	if len(data) > 0 {
		if err := s.session.WriteMemory(p, data); err != nil {
			return nil, err
		}
		s.changed()
	}
	return dap.WriteMemoryResponseBody{BytesWritten: len(data)}, nil
}

// address writes the address of an instruction: its number in the kernel. Some clients read what stands
// behind 0x and nothing else. Addresses before the kernel, which clients ask for, are in order with the
// others.
func address(pc int) string {
	if pc < 0 {
		return strconv.Itoa(pc)
	}
	return fmt.Sprintf("%#04x", pc)
}

// disassembled is the protocol's instruction, with what go-dap does not know yet.
type disassembled struct {
	dap.DisassembledInstruction
	Hint string `json:"presentationHint,omitempty"` // "invalid" for an address without an instruction
}

// disassembly is the body of an answer.
type disassembly struct {
	Instructions []disassembled `json:"instructions"`
}

// instruction reads the address of an instruction.
func instruction(text string) (int, error) {
	n, err := strconv.ParseInt(text, 0, 32)
	if err != nil {
		return 0, fmt.Errorf("%.40q is no address of an instruction: those are numbers from 0", text)
	}
	return int(n), nil
}

func (s *server) disassemble(a *dap.DisassembleArguments) (any, error) {
	at, err := instruction(a.MemoryReference)
	if err != nil {
		return nil, err
	}
	if a.InstructionCount < 0 || a.InstructionCount > maxInstructions {
		return nil, fmt.Errorf("instructionCount is %d; it may be 0 to %d", a.InstructionCount, maxInstructions)
	}
	from := at + clampInt(a.Offset) + clampInt(a.InstructionOffset)
	body := disassembly{Instructions: make([]disassembled, 0, a.InstructionCount)}
	last := emudebug.Place{}
	for pc := from; pc < from+a.InstructionCount; pc++ {
		if pc < 0 || pc >= s.session.Instructions() {
			// Clients rely on the number of instructions that they have asked for.
			body.Instructions = append(body.Instructions, disassembled{
				dap.DisassembledInstruction{Address: address(pc), Instruction: "no instruction"}, "invalid"})
			continue
		}
		in := s.session.Disassemble(pc, 1)[0]
		x := disassembled{DisassembledInstruction: dap.DisassembledInstruction{Address: address(pc), Instruction: in.Text}}
		if in.Start {
			x.Symbol = fmt.Sprintf("b%d", in.Block)
		}
		if in.Word > 0 && s.target.SPIRV != nil {
			if text := s.target.SPIRV(in.Word); text != "" {
				x.Instruction = fmt.Sprintf("%-44s ; %s", in.Text, text)
			}
		}
		if in.Place.Line > 0 {
			if in.Place.File != last.File || in.Start { // a client shows it beside the symbol
				x.Location = s.sourceOf(in.Place.File)
			}
			x.Line, x.Column = s.line(in.Place.Line), s.column(in.Place.Column)
			last = in.Place
		}
		body.Instructions = append(body.Instructions, x)
	}
	return body, nil
}
