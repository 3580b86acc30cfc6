// Package link makes one SPIR-V module of several: what one of them imports and
// another one exports becomes one function or variable (SPIR-V specification, section 3.2.21, "Linkage Type";
// decoration LinkageAttributes).
//
// It neither optimizes nor drops what nobody uses, and it is no validator: it takes modules as package
// spirv decodes them, checks what it needs, and leaves the rest to package spirv/validate. Modules come from
// compilers; the result goes to package emu, or into a file (`lockstep link`).
//
// # What becomes of what
//
//   - Capabilities and extensions are those of all modules; the version is the highest. The addressing
//     and the memory model have to be the same.
//   - Types, constants, strings, names and imports of extended instruction sets that are the same become one. Types are
//     the same when they are built alike and have the same decorations, whatever they are called; structures that
//     lead back to themselves through a pointer, too. Specialization constants are the same when their number,
//     type and default are.
//   - An import is replaced by the definition of its name. Both have to be functions or variables of the same type; pass
//     parameters by value the same way; and a variable that the import calls constant, or promises an alignment for, has to be
//     so where it is defined.
//   - Of several LinkOnceODR definitions the first one stays, or the one that is exported plainly. Two plain
//     exports of a name are an error, as are two entry points of a name.
//   - Imports that no module defines are an error unless they are built-in variables, or [Options] lets them stay; they become one.
//     A function that nobody calls goes without a word.
//   - Program-scope variables are put in an order in which initializers come before those who use them.
//   - From SPIR-V 1.4 on, entry points list each variable that they reach.
//
// Everything keeps the order of the modules, and new ids depend on nothing but the modules, so that the same modules give the
// same words.
package link
