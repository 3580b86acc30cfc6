// Package wave has what the engines share of a wave: [Frame], the fields that machine code reads and writes
// by their offsets, with [Slot], the access descriptor of a load or store, and [Lanes], what a sub-group
// size means; and the reasons for which machine code comes back ([Exit]). The reference engine (package
// interp) keeps a Frame in each of its waves and uses its fields as its own; the native engine (package
// native) makes code that works on it. A wave that stops at a resume point is therefore the same for both,
// and either can go on.
package wave
