module github.com/lockstep-gpu/lockstep/conformance/kernels/judge

go 1.26.0

require (
	github.com/ebitengine/purego v0.11.3
	github.com/lockstep-gpu/lockstep v0.0.0-00010101000000-000000000000
)

replace github.com/lockstep-gpu/lockstep => ../../..
