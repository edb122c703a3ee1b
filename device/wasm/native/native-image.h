/*
 * What a native image and the console know of each other (docs/spec/aot.md). An image is machine code that `svc app build
 * --aot` made of an app's module; sdk/native compiles this file into it, and guest-native.c runs it.
 *
 * The console calls `native_main`. The image calls the functions of NativeHost and nothing else: it has no symbols of
 * others, so it can be loaded to any address. A change here changes NATIVE_ABI_VERSION (protocol/native-image.ts).
 */
#ifndef SVC_NATIVE_IMAGE_H
#define SVC_NATIVE_IMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { NATIVE_PARAMETERS = 10 };

typedef enum {
	NATIVE_TRAP_OUT_OF_BOUNDS,
	NATIVE_TRAP_INTEGER_OVERFLOW,
	NATIVE_TRAP_DIVISION_BY_ZERO,
	NATIVE_TRAP_CONVERSION,
	NATIVE_TRAP_UNREACHABLE,
	NATIVE_TRAP_ELEMENT,		/* of the table: outside of it, or empty */
	NATIVE_TRAP_CALL_TYPE,
	NATIVE_TRAP_DATA,			/* beyond memory, before the app runs */
	NATIVE_TRAP_STACK,
	NATIVE_TRAP_OF_HOST,		/* the host said why when it returned false */
} NativeTrap;

typedef struct {
	uint8_t *data;
	uint32_t pages;				/* of 64 KiB each */
} NativeMemory;

/* Images pass numbers of floating point as integers are, also to firmware that has registers for them. */
#if defined(__arm__)
#define NATIVE_NUMBERS __attribute__((pcs("aapcs")))
#else
#define NATIVE_NUMBERS
#endif

/* The first parameter of each is `context`. What returns false has failed; the image then traps. */
typedef struct NativeHost {
	void *context;
	/* The number of a function of the ABI by its name. */
	bool (*find)(void *context, const char *name, uint32_t *function);
	/* Calls a function of the ABI. `parameters` has NATIVE_PARAMETERS values. */
	bool (*call)(void *context, uint32_t function, const int32_t *parameters, uint64_t *result);
	/* Gives the memory its first pages, which may have at most `maximum`. */
	bool (*allocate)(void *context, NativeMemory *memory, uint32_t pages, uint32_t maximum);
	/* memory.grow: @returns the pages before, or UINT32_MAX */
	uint32_t (*grow)(void *context, NativeMemory *memory, uint32_t pages);
	/* Cleared memory for a table, until the app ends. */
	bool (*allocate_table)(void *context, void **table, size_t byteLength);
	/* Where the limit was found: waits while the app is suspended. @returns whether the app goes on */
	bool (*pass)(void *context, uintptr_t stack);
	/* Ends the app. `frame` is the innermost frame of the image. Does not return. */
	void (*trap)(void *context, NativeTrap trap, void *const *frame);
	/* Long ones are left out once the app is to end. */
	void (*copy)(void *context, void *to, const void *from, size_t length);
	void (*fill)(void *context, void *to, int byte, size_t length);
	double (NATIVE_NUMBERS *round)(int way, double value);
	float (NATIVE_NUMBERS *round_float)(int way, float value);
	double (NATIVE_NUMBERS *root)(double value);
	float (NATIVE_NUMBERS *root_float)(float value);
} NativeHost;

/* The ways of `round`. */
enum { NATIVE_FLOOR, NATIVE_CEILING, NATIVE_TRUNCATE, NATIVE_NEAREST };

/*
 * At the image's entry. Runs the module's start function and its entry; `host` is used until they have ended.
 * @returns the result of the entry, or 0
 */
typedef int32_t NativeMain(const NativeHost *host);

#endif
