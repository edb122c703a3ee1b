/*
 * What the C of `wasm2c` expects of its run-time, as a native image has it: types, the table of functions, and what is called
 * where memory and tables are made. The image's own C (../image.c) implements it. Included before everything else: nothing
 * that is declared comes from outside of the image, so that its code finds all of it relative to itself.
 */
#ifndef SVC_IMAGE_WASM_RT_H
#define SVC_IMAGE_WASM_RT_H

#pragma GCC visibility push(hidden)

#include "native-image.h"

#define LIKELY(condition) __builtin_expect(!!(condition), 1)
#define UNLIKELY(condition) __builtin_expect(!!(condition), 0)
#define wasm_rt_memcpy __builtin_memcpy

typedef enum { WASM_RT_I32, WASM_RT_I64, WASM_RT_F32, WASM_RT_F64 } wasm_rt_type_t;

typedef enum {
	WASM_RT_TRAP_OOB = NATIVE_TRAP_OUT_OF_BOUNDS,
	WASM_RT_TRAP_INT_OVERFLOW = NATIVE_TRAP_INTEGER_OVERFLOW,
	WASM_RT_TRAP_DIV_BY_ZERO = NATIVE_TRAP_DIVISION_BY_ZERO,
	WASM_RT_TRAP_INVALID_CONVERSION = NATIVE_TRAP_CONVERSION,
	WASM_RT_TRAP_UNREACHABLE = NATIVE_TRAP_UNREACHABLE,
	WASM_RT_TRAP_CALL_INDIRECT = NATIVE_TRAP_CALL_TYPE,
	WASM_RT_TRAP_EXHAUSTION = NATIVE_TRAP_STACK,
} wasm_rt_trap_t;

typedef struct {
	uint8_t *data;
	uint64_t size;
	uint32_t pages;
} wasm_rt_memory_t;

typedef void (*wasm_rt_function_ptr_t)(void);
typedef const char *wasm_rt_func_type_t;
typedef struct { void (*function)(void); } wasm_rt_tailcallee_t;

typedef struct {
	wasm_rt_func_type_t func_type;
	wasm_rt_function_ptr_t func;
	wasm_rt_tailcallee_t func_tailcallee;
	void *module_instance;
} wasm_rt_funcref_t;

typedef struct {
	wasm_rt_funcref_t *data;
	uint32_t size;
} wasm_rt_funcref_table_t;

/* Apps have no tables of these. */
typedef void *wasm_rt_externref_t;
typedef struct {
	wasm_rt_externref_t *data;
	uint32_t size;
} wasm_rt_externref_table_t;

static const wasm_rt_funcref_t wasm_rt_funcref_null_value;
static const wasm_rt_externref_t wasm_rt_externref_null_value;

void wasm_rt_trap(wasm_rt_trap_t trap) __attribute__((noreturn, noinline, cold));
/* Has the console end the app. @param frame the innermost of the image (native-frame.h) */
void image_end(NativeTrap trap, void *const *frame) __attribute__((noreturn, cold));
void wasm_rt_allocate_memory(wasm_rt_memory_t *memory, uint64_t pages, uint64_t maximum, bool is64, uint32_t pageBytes);
uint32_t wasm_rt_grow_memory(wasm_rt_memory_t *memory, uint64_t pages);
void wasm_rt_allocate_funcref_table(wasm_rt_funcref_table_t *table, uint32_t elements, uint32_t maximum);

/* The console frees memory and tables when the app has ended, and has initialized what there is. */
static inline void wasm_rt_free_memory(wasm_rt_memory_t *memory) { (void)memory; }
static inline void wasm_rt_free_funcref_table(wasm_rt_funcref_table_t *table) { (void)table; }
static inline bool wasm_rt_is_initialized(void) { return true; }

#endif
