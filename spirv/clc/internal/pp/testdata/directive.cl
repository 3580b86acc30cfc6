#inclde "x"
#defin X
#foo
#+
#line foo
#line 0
#line 10 foo
#line 10 "foo" bar
# 33 "z" 7
#warning hello   'world
#error foo   bar "
#undef
#undef 3
#define
#define 3
#pragma OPENCL FOO
#pragma OPENCL EXTENSION
#pragma OPENCL EXTENSION cl_khr_fp16
#pragma OPENCL EXTENSION cl_khr_fp16 : foo
#pragma OPENCL EXTENSION cl_foo : enable
#pragma OPENCL EXTENSION all : enable
#pragma OPENCL FP_CONTRACT
#pragma OPENCL FP_CONTRACT FOO
#pragma unroll foo
#pragma foo bar
#pragma STDC FP_CONTRACT ON
#pragma once
#pragma pop_macro("none")
#pragma push_macro(x)
#pragma message("a" "b")
#pragma clang diagnostic
#pragma clang diagnostic pop
#pragma clang diagnostic ignored "-Wnone"
#pragma clang diagnostic error "-Wunknown-pragmas"
#pragma nonsense
#pragma 3
#pragma OPENCL EXTENSION cl_khr_fp6 : enable
#include "deep.h"
#include
#include foo
#include "
#include <
#include ""
#define Q <x
#include Q
#include "nothing.h" // ends everything
not read
