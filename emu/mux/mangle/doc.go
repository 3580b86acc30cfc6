// Package mangle writes types and functions as the names that the ComputeMux
// compiler gives to overloaded functions, and reads such names back (ComputeMux
// Compiler Specification, section Mangling).
//
// The names are those of the Itanium C++ ABI as Appendix A of SPIR 1.2 extends it:
// builtin types, pointers with address spaces and qualifiers, OpenCL's named types
// and substitutions. Vectors of a fixed length are Dv4_f; scalable vectors, for which
// nobody else has a form, are vendor-extended types: u5nxv1j. What is inside of a
// vendor-extended type is a name of its own, so that nothing in it is substituted.
//
// A [Function] has one of two forms. [Itanium] is _Z with the length of the name,
// the name and the parameters, as compilers of OpenCL C leave built-in functions.
// [Internal] is __vecz_b_, the name, an underscore and the types that it is overloaded
// for, as the vectorizer calls its own.
//
// Reading and writing are inverse to each other. What [Function.Mangle] gives,
// [Demangle] turns into the same value, and a name that Demangle takes is the very name
// that Mangle writes: where a substitution is possible it has to be used, and numbers have
// no zeros in front. Everything else is refused with an [*Error].
//
// Of C++ there is nothing more here: no nested names, templates, operators, function
// types or blocks.
package mangle
