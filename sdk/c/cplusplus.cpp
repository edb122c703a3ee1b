/*
 * What a C++ compiler calls by itself. It is linked into every app in C++, where the linker leaves out what nothing calls.
 * There is no heap: nothing defines `operator new`, so that a program which uses it is not linked.
 */
#include <stddef.h>

/* A virtual destructor names it; what lies on no heap is never deleted. */
void operator delete(void *) noexcept
{
	__builtin_trap();
}

void operator delete(void *, size_t) noexcept
{
	__builtin_trap();
}

extern "C" void __cxa_pure_virtual()
{
	__builtin_trap();
}

/* An app's memory is given back at its end, so that nothing destructs what is static. */
extern "C" int __cxa_atexit(void (*)(void *), void *, void *)
{
	return 0;
}

/* The address names this module for __cxa_atexit. */
void *__dso_handle = nullptr;
