//go:build !playground

package site

// embedded returns nothing: this lockstep was built without the tag playground.
func embedded() (*Program, error) { return nil, nil }
