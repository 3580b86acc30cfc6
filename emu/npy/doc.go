// Package npy reads and writes NumPy's .npy array files, the form in which
// lockstep takes typed input buffers from disk and gives typed results back.
//
// It covers the file format versions 1.0, 2.0 and 3.0 with the boolean,
// integer, floating-point (half, single, double) and complex element types in
// either byte order and in C or Fortran element order, as described in NumPy's
// numpy.lib.format. Whatever the order in the file, [Array.Data] is little-endian
// and in C order, so that a caller can copy it into a device buffer as it is.
//
// It is not a general array library, and it does not read .npz archives,
// structured (record) arrays, strings, dates or pickled objects: those are
// refused, by name, with an error that matches [ErrUnsupported].
//
// A file is untrusted input. Memory use stays within a small multiple of the
// bytes the file really has, no matter what its header claims.
package npy
