module github.com/lockstep-gpu/lockstep/cmd/opencl

go 1.26.0

require github.com/lockstep-gpu/lockstep v0.0.0-00010101000000-000000000000

require golang.org/x/sys v0.49.0 // indirect

replace github.com/lockstep-gpu/lockstep => ../..
