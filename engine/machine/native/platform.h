/*
 * XS's platform header: types, headers and the fields that it keeps for us in a machine. XS includes this file through
 * -DXSPLATFORM, so it must not include XS's own headers.
 */
#ifndef SVC_PLATFORM_H
#define SVC_PLATFORM_H

#undef mxLinux
#define mxLinux 1
#undef mxLittleEndian
#define mxLittleEndian 1

#include <ctype.h>
#include <errno.h>
#include <float.h>
#include <math.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define mxExport extern
#define mxImport extern
#define XS_FUNCTION_NORETURN __attribute__((noreturn))

#define mxUseGCCAtomics 1
#define mxUsePOSIXThreads 1
#define mxUseDefaultBuildKeys 1
#define mxUseDefaultParseScript 1
#define mxUseDefaultSharedChunks 1

/* A 64-bit slot has room for 32-bit identifiers; in 32 bits they have 16, as on the board. */
#if INTPTR_MAX == INT64_MAX
	#define mx32bitID 1
#endif

/* The waiter fields serve Atomics.wait; the other two are ours. */
#define mxMachinePlatform \
	void* waiterCondition; \
	void* waiterData; \
	void* waiterLink; \
	bool promiseJobs; \
	struct Arena* arena;

#endif
