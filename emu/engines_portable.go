//go:build wasm

package emu

import (
	"errors"

	"github.com/lockstep-gpu/lockstep/isa/engine"
)

// nativeName is the name of the native engine.
const nativeName = "native"

// nativeEngine says why WebAssembly has no native engine. It is not linked there, for programs are downloaded.
func nativeEngine() (engine.Engine, error) {
	return nil, errors.New("no native engine: a program in WebAssembly cannot add machine code to itself")
}
