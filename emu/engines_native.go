//go:build !wasm

package emu

import (
	"sync"

	"github.com/lockstep-gpu/lockstep/isa/engine"
	"github.com/lockstep-gpu/lockstep/isa/native"
)

// nativeName is the name of the native engine.
var nativeName = native.Engine{}.Name()

// nativeEngine is the native engine, or why this machine has none.
var nativeEngine = sync.OnceValues(func() (engine.Engine, error) { return native.New() })
