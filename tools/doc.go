// Package tools is the nested module that pins the programs which check this
// project (staticcheck), so that the root go.mod stays free of them. It holds no
// code: the tool directives of its go.mod are what counts. `go tool -modfile
// tools/go.mod staticcheck ./...` runs one by hand, from the root.
package tools
