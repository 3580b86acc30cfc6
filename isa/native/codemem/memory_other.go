//go:build !amd64 || !(linux || darwin || freebsd || windows)

package codemem

var host = system{
	alloc:   func(int) (mapping, error) { return mapping{}, ErrUnsupported },
	protect: func(mapping) error { return ErrUnsupported },
	free:    func(mapping) error { return ErrUnsupported },
}
