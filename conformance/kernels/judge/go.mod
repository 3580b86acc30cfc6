module github.com/lockstep-gpu/lockstep/conformance/kernels/judge

go 1.26.0

require (
	github.com/ebitengine/purego v0.11.3
	github.com/lockstep-gpu/lockstep v0.0.0-00010101000000-000000000000
)

require golang.org/x/sys v0.49.0 // indirect

replace github.com/lockstep-gpu/lockstep => ../../..
