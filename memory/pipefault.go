package memory

import "fmt"

// PipeFaultKind says what is wrong with the use of a pipe.
type PipeFaultKind uint8

// The kinds.
const (
	PipeFaultSize      PipeFaultKind = iota // packets of another size or alignment than the pipe's
	PipeFaultDirection                      // through the wrong end
	PipeFaultReserve                        // an id that is no reservation, or none that can be used so
	PipeFaultIndex                          // a packet that the reservation does not have
	PipeFaultOpen                           // a reservation that was not committed when its owner ended
	PipeFaultUnwritten                      // a reservation to write committed with packets that nobody wrote
)

// ReserveMistake says why an id is not a reservation that can be used.
type ReserveMistake uint8

// The mistakes.
const (
	ReserveInvalid   ReserveMistake = iota // the id that says that the reservation failed
	ReserveUnknown                         // never made
	ReserveOtherPipe                       // of another pipe
	ReserveCommitted                       // committed already
	ReserveDirection                       // to write where one to read is asked for, or the other way round
	ReserveOwner                           // of another work-item, sub-group, work-group or launch
	ReserveKind                            // of a work-item where that of a group is asked for, and so on
)

// PipeFault is a wrong use of a pipe. It is an error; but for PipeFaultOpen and
// PipeFaultUnwritten, nothing has happened to the pipe.
type PipeFault struct {
	Kind PipeFaultKind
	Op   string // what was to be done: "read", "write", "reservation to read" …

	// The pipe, and what it holds.
	Pipe                     string  // its name
	Handle                   Pointer // as the kernel has it
	PacketBytes, PacketAlign uint32  // of its packets; an alignment of 0 is any

	// Bytes and Align are what the instruction says of the packets.
	Bytes, Align uint32

	// ID is the value that is no reservation, and Mistake what is wrong with it.
	ID      uint64
	Mistake ReserveMistake
	// By is who uses the reservation. Its First is one of the work-items.
	By PipeOwner

	// Reservation is the one in question, where there is one: without Touched.
	Reservation Reservation
	// Index is the packet of the reservation, counted from 0: the one asked for,
	// or the first that nobody wrote, of Packets such.
	Index, Packets uint64
}

// Error says what was done and what is wrong with it.
func (f *PipeFault) Error() string {
	switch f.Kind {
	case PipeFaultSize:
		if f.Bytes != f.PacketBytes {
			return fmt.Sprintf("%s with packets of %s at %s, whose packets have %s", f.Op, plural(uint64(f.Bytes), "byte"), f.name(), plural(uint64(f.PacketBytes), "byte"))
		}
		return fmt.Sprintf("%s with packets aligned to %s at %s, whose packets are aligned to %d", f.Op, plural(uint64(f.Align), "byte"), f.name(), f.PacketAlign)
	case PipeFaultDirection:
		end := "read"
		if f.Handle.Offset() != 1 {
			end = "write"
		}
		return fmt.Sprintf("%s at the %s end of %s", f.Op, end, f.name())
	case PipeFaultIndex:
		return fmt.Sprintf("%s of packet %d of a reservation of %s in %s", f.Op, f.Index, plural(f.Reservation.N, "packet"), f.name())
	case PipeFaultOpen:
		return fmt.Sprintf("a reservation of %s to %s in %s was not committed when its %s ended", plural(f.Reservation.N, "packet"), f.direction(), f.name(), f.Reservation.Owner.Kind)
	case PipeFaultUnwritten:
		if f.Packets == 1 {
			return fmt.Sprintf("packet %d of a reservation of %s in %s was not written before it was committed", f.Index, plural(f.Reservation.N, "packet"), f.name())
		}
		return fmt.Sprintf("%d packets of a reservation of %d in %s, packet %d first, were not written before it was committed", f.Packets, f.Reservation.N, f.name(), f.Index)
	}
	return fmt.Sprintf("%s through %s", f.Op, f.mistake())
}

// mistake says what is wrong with a reservation's id.
func (f *PipeFault) mistake() string {
	r := &f.Reservation
	switch f.Mistake {
	case ReserveInvalid:
		return fmt.Sprintf("the invalid reservation id, at %s", f.name())
	case ReserveOtherPipe:
		return fmt.Sprintf("a reservation of another pipe (%#x), at %s", f.ID, f.name())
	case ReserveCommitted:
		return fmt.Sprintf("a reservation of %s that is committed already (%#x)", f.name(), f.ID)
	case ReserveDirection:
		return fmt.Sprintf("a reservation to %s, of %s in %s", f.direction(), plural(r.N, "packet"), f.name())
	case ReserveKind:
		return fmt.Sprintf("a reservation that a %s made, of %s in %s, by a %s", r.Owner.Kind, plural(r.N, "packet"), f.name(), f.By.Kind)
	case ReserveOwner:
		return fmt.Sprintf("a reservation of another %s, of %s in %s", f.other(), plural(r.N, "packet"), f.name())
	}
	return fmt.Sprintf("a value that is no reservation of %s (%#x)", f.name(), f.ID)
}

// other says whose reservation another's is.
func (f *PipeFault) other() string {
	switch o := &f.Reservation.Owner; {
	case o.Launch != f.By.Launch:
		return "kernel"
	case o.Group != f.By.Group:
		return "work-group"
	default:
		return o.Kind.String()
	}
}

func (f *PipeFault) direction() string {
	if f.Reservation.Write {
		return "write"
	}
	return "read"
}

// name returns what the pipe is called.
func (f *PipeFault) name() string {
	if f.Pipe == "" {
		return "the pipe"
	}
	return "pipe " + f.Pipe
}

// plural returns n with its unit, in the plural where n is not 1.
func plural(n uint64, unit string) string {
	if n == 1 {
		return "1 " + unit
	}
	return fmt.Sprintf("%d %ss", n, unit)
}
