package wave

import (
	"reflect"
	"testing"
	"unsafe"
)

// offsets has the constants by the names of the fields that they are of.
var offsets = map[string]uintptr{
	"Frame.Base": FrameBase, "Frame.Stride": FrameStride, "Frame.Chunks": FrameChunks, "Frame.Scalars": FrameScalars,
	"Frame.Exec": FrameExec, "Frame.Live": FrameLive, "Frame.Slots": FrameSlots, "Frame.Private": FramePrivate,
	"Frame.Active": FrameActive, "Frame.Cur": FrameCur, "Frame.Wait": FrameWait, "Frame.Words": FrameWords,
	"Frame.Waiting": FrameWaiting, "Frame.MinWait": FrameMinWait, "Frame.Alive": FrameAlive, "Frame.All": FrameAll,
	"Frame.More": FrameMore, "Frame.LDS": FrameLDS, "Frame.Lines": FrameLines, "Frame.Event": FrameEvent,
	"Frame.Choosy": FrameChoosy, "Frame.Changed": FrameChanged, "Frame.Quiet": FrameQuiet, "Frame.Plain": FramePlain,
	"Frame.Fuel": FrameFuel, "Frame.Ration": FrameRation, "Frame.Point": FramePoint, "Frame.Exit": FrameExit,
	"Frame.Counts": FrameCounts, "Frame.Values": FrameValues, "Frame.Origin": FrameOrigin, "Frame.First": FrameFirst,
	"Frame.IDs": FrameIDs, "Frame.Proven": FrameProven, "Frame.Rows": FrameRows, "Frame.Scratch": FrameScratch,
	"Frame.Loop.Trips": LoopTrips, "Frame.Loop.Progress": LoopProgress, "Frame.Loop.Most": LoopMost,
	"Frame.Loop.Last": LoopLast, "Frame.Loop.Limit": LoopLimit, "Frame.Loop.Remain": LoopRemain,
	"Frame.Loop.Stopped": LoopStopped, "Frame.Loop.Chunks": LoopChunks, "Frame.Loop.Undo": LoopUndo,
	"Frame.Loop.Private": LoopPrivate, "Frame.Loop.Entry": LoopEntry, "Frame.Loop.Rest": LoopRest, "Frame.Loop.Idle": LoopIdle,
	"Frame.Loop.Left": LoopLeft, "Frame.Hyper.Lanes": HyperLanes, "Frame.Hyper.Words": HyperWords,
	"Frame.LoopSlot": FrameLoopSlot, "Frame.LoopSkip": FrameLoopSkip, "Frame.Undo": FrameUndo, "Frame.Spill": FrameSpill, "Frame.Call": FrameCall,
	"Frame.Resume": FrameResume, "Frame.Saved": FrameSaved, "Frame.Lanes": FrameLanes,

	"Registers.Vectors": RegistersVectors, "Registers.Masks": RegistersMasks, "Registers.General": RegistersGeneral,

	"Slot.Address": SlotAddress, "Slot.Limit": SlotLimit, "Slot.Key": SlotKey, "Slot.Base": SlotBase,
	"Slot.Last": SlotLast, "Slot.Pointer": SlotPointer, "Slot.Room": SlotRoom,

	"Lanes.Size": LanesSize, "Lanes.Last": LanesLast, "Lanes.Mask": LanesMask, "Lanes.Low": LanesLow, "Lanes.Top": LanesTop,
	"Lanes.Up": LanesUp,
}

// TestOffsets checks that each field which machine code can reach has the offset that its constant says,
// and that each field has a constant: those of Loop and Hyper are sums.
func TestOffsets(t *testing.T) {
	seen := 0
	var fields func(prefix string, of reflect.Type, base uintptr)
	fields = func(prefix string, of reflect.Type, base uintptr) {
		for i := range of.NumField() {
			f := of.Field(i)
			name, at := prefix+"."+f.Name, base+f.Offset
			if f.Type == reflect.TypeFor[Loop]() || f.Type == reflect.TypeFor[Hyper]() {
				fields(name, f.Type, at)
				continue
			}
			if f.Name == "_" {
				continue
			}
			seen++
			if got, ok := offsets[name]; !ok || got != at {
				t.Errorf("%s is at %d, its constant says %d (there is one: %v)", name, at, got, ok)
			}
		}
	}
	for _, of := range []reflect.Type{reflect.TypeFor[Frame](), reflect.TypeFor[Registers](), reflect.TypeFor[Slot](), reflect.TypeFor[Lanes]()} {
		fields(of.Name(), of, 0)
	}
	if seen != len(offsets) {
		t.Errorf("%d fields have %d constants", seen, len(offsets))
	}
	if SlotSize != unsafe.Sizeof(Slot{}) || SlotSize%unsafe.Sizeof(uintptr(0)) != 0 {
		t.Errorf("a slot has %d bytes, its constant says %d", unsafe.Sizeof(Slot{}), SlotSize)
	}
}

// TestSizes checks the sizes that machine code relies on where pointers have 64 bits: its loads and stores
// have as many.
func TestSizes(t *testing.T) {
	if unsafe.Sizeof(uintptr(0)) != 8 {
		t.Skip("there is no machine code here")
	}
	for _, c := range []struct {
		of   reflect.Type
		size uintptr
	}{
		{reflect.TypeFor[Loop](), 8*(10+4+4+16) + 4*32},
		{reflect.TypeFor[Hyper](), 8 * (14 + 32)},
		{reflect.TypeFor[Slot](), 56},
		{reflect.TypeFor[Registers](), 32*64 + 8*8 + 16*8},
		{reflect.TypeFor[Lanes](), 16 + 16 + 48},
	} {
		if c.of.Size() != c.size {
			t.Errorf("%s has %d bytes, want %d", c.of.Name(), c.of.Size(), c.size)
		}
	}
	of := reflect.TypeFor[Frame]()
	for i := range of.NumField() {
		f := of.Field(i)
		if f.Type.Kind() == reflect.Bool {
			continue
		}
		if f.Type.Size()%8 != 0 || f.Offset%8 != 0 {
			t.Errorf("%s, a %s at %d, does not consist of words", f.Name, f.Type, f.Offset)
		}
	}
}
