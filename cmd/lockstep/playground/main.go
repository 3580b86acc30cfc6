//go:build js && wasm

// Playground is lockstep for a page in a browser, as WebAssembly in a worker. It offers one function to JavaScript,
//
//	globalThis.lockstepCall(request: string): Promise<string>
//
// which answers a request with a response: JSON documents that package playground describes. `lockstep serve` and
// `lockstep site` build it, with the build tag browser, which leaves out what a browser cannot use.
package main

import (
	"context"
	"syscall/js"

	"github.com/lockstep-gpu/lockstep/cmd/lockstep/internal/playground"
)

func main() {
	server := playground.New()
	turn := make(chan struct{}, 1) // requests are answered one after the other
	promise := js.Global().Get("Promise")
	js.Global().Set("lockstepCall", js.FuncOf(func(_ js.Value, args []js.Value) any {
		request := ""
		if len(args) > 0 && args[0].Type() == js.TypeString {
			request = args[0].String()
		}
		var executor js.Func
		executor = js.FuncOf(func(_ js.Value, args []js.Value) any {
			resolve := args[0]
			go func() {
				turn <- struct{}{}
				defer func() { <-turn }()
				resolve.Invoke(server.Call(context.Background(), request))
				executor.Release()
			}()
			return nil
		})
		return promise.New(executor)
	}))
	if ready := js.Global().Get("lockstepReady"); ready.Type() == js.TypeFunction {
		ready.Invoke()
	}
	select {}
}
