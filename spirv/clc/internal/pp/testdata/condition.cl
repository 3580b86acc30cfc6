#else
#elif 1
#endif
#if 1
#else
#else
#elif 0
#endif foo
#if
#endif
#if 1 +
#endif
#if (1
#endif
#if 1 2
#endif
#if 1/0
#endif
#if 1 ? 2
#endif
#if 1.0
#endif
#if "a"
#endif
#if foo(1)
#endif
#if 'ab' == 'a'
#endif
#if 08
#endif
#if 1z
#endif
#if 0 && 1/0
#endif
#if 18446744073709551616
#endif
#if 1,2
#endif
#if = 2
#endif
#if defined
#endif
#if defined(3)
#endif
#if defined(x
#endif
#ifdef
#endif
#ifdef 3
#endif
#ifdef X foo
#endif
#if 0
#elfi
#esle
#endif
#if __has_include(foo)
#endif
#if __has_include "x"
#endif
#if __has_include("x"
#endif
#if 1 << 63 < 0 || -1 > 0u || 9223372036854775807 + 1 || 9223372036854775808
#endif
#if ABC(
#endif
__has_include(1) __has_builtin __has_builtin(1) __has_attribute()
#if 0b12 || 0x
#endif
#if '\x'
#endif
#ifndef foo
#if 1
#ifdef X
