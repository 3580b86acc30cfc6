// Package mux is the ComputeMux compiler API over lockstep's own compiler.
package mux
