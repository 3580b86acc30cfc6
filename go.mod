module github.com/lockstep-gpu/lockstep

go 1.26.0

require (
	github.com/google/go-cmp v0.7.0
	github.com/google/go-dap v0.12.0
	golang.org/x/sys v0.49.0
	golang.org/x/term v0.47.0
)
