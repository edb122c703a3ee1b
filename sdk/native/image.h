/*
 * How an app's functions are compiled: included into the C of `wasm2c` before the first of them. Its macros and accesses to
 * memory give way to these, which check what a console promises of any app (docs/spec/apps.md#running):
 *
 *   - each function compares the stack pointer with `imageLimit`, which the console raises to the highest address to
 *     interrupt the app;
 *   - each loop does so every TURNS turns, fewer where its body is long, counted in a register: a comparison with memory
 *     in each turn would take a third of the time of a short loop;
 *   - each access to memory is checked against its length. IMAGE_MEMORY_BYTES is the length where it is fixed; where
 *     it is not, MEMORY_CHANGED reads it again after each call.
 */
#ifndef SVC_IMAGE_H
#define SVC_IMAGE_H

#pragma GCC diagnostic ignored "-Wunused-function"
#pragma GCC diagnostic ignored "-Wunused-label"
#pragma GCC diagnostic ignored "-Wunused-parameter"
#pragma GCC diagnostic ignored "-Wunused-but-set-variable"
#pragma GCC diagnostic ignored "-Wunused-variable"
#pragma GCC diagnostic ignored "-Wunused-value"

enum { TURNS = 256 };

extern volatile uintptr_t imageLimit;

/* Where the limit was found; the app goes on, or traps. */
void image_pass(uintptr_t stack) __attribute__((noinline, cold));

#define IMAGE_INLINE static inline __attribute__((always_inline))

IMAGE_INLINE void check_stack(void)
{
	const uintptr_t stack = (uintptr_t)__builtin_frame_address(0);
	if (UNLIKELY(stack < imageLimit))
		image_pass(stack);
}

/* A loop may be passed with the stack used up: only an interruption ends it. */
IMAGE_INLINE void check_turns(s32 *turns, s32 weight)
{
	if (LIKELY((*turns -= weight) > 0))
		return;
	*turns = TURNS;
	if (UNLIKELY(imageLimit == UINTPTR_MAX))
		image_pass(UINTPTR_MAX);
}

#if !defined(IMAGE_MEMORY)
#define MEMORY_LOCALS(instance)
#define MEMORY_CHANGED
#elif defined(IMAGE_MEMORY_BYTES)
#define MEMORY_LOCALS(instance) u8 *const memory = (instance)->IMAGE_MEMORY.data
#define MEMORY_LENGTH ((u64)IMAGE_MEMORY_BYTES)
#define MEMORY_CHANGED
#else
#define MEMORY_LOCALS(instance) u8 *memory = (instance)->IMAGE_MEMORY.data; u64 memoryBytes = (instance)->IMAGE_MEMORY.size
#define MEMORY_LENGTH memoryBytes
#define MEMORY_CHANGED memory = instance->IMAGE_MEMORY.data, memoryBytes = instance->IMAGE_MEMORY.size
#endif

#undef FUNC_PROLOGUE
#undef FUNC_EPILOGUE
#define FUNC_PROLOGUE check_stack(); s32 turns = TURNS; MEMORY_LOCALS(instance)
#define FUNC_EPILOGUE
#define LOOP(weight) check_turns(&turns, weight)

/* Whether `byteLength` bytes from `base + offset` are not all in memory. */
IMAGE_INLINE bool is_outside(u64 memoryBytes, u32 base, u32 offset, u32 byteLength)
{
	const u64 end = (u64)offset + byteLength;
	return UNLIKELY(end > memoryBytes) || UNLIKELY(base > memoryBytes - end);
}

#define CHECKED(base, offset, type) \
	(is_outside(memoryBytes, base, offset, sizeof(type)) ? (TRAP(OOB), memory) : memory + (size_t)(base) + (offset))

/*
 * Where words are read and written only at multiples of their length, compilers go byte by byte. Nearly all of an app's
 * are at such places, so that is looked at. Numbers of 64 bits are two words there.
 */
#if defined(__x86_64__)
#define IS_ALIGNED(address, byteLength) true
#define AS_ALIGNED(address, byteLength) (address)
#else
#define ALIGNMENT(byteLength) ((byteLength) < 4 ? (byteLength) : 4)
#define IS_ALIGNED(address, byteLength) LIKELY(((uintptr_t)(address) & (ALIGNMENT(byteLength) - 1)) == 0)
#define AS_ALIGNED(address, byteLength) __builtin_assume_aligned(address, ALIGNMENT(byteLength))
#endif

/* Byte by byte, little-endian (image.c). */
u64 image_read_bytes(const u8 *from, u32 byteLength);
void image_write_bytes(u8 *to, u64 value, u32 byteLength);

#define DEFINE_LOAD_AT(name, stored, extended, result) \
	IMAGE_INLINE result name##_at(u8 *memory, u64 memoryBytes, u32 base, u32 offset) \
	{ \
		const u8 *const from = CHECKED(base, offset, stored); \
		stored value; \
		if (IS_ALIGNED(from, sizeof(value))) { \
			__builtin_memcpy(&value, AS_ALIGNED(from, sizeof(value)), sizeof(value)); \
		} else { \
			const u64 bits = image_read_bytes(from, sizeof(value)); \
			__builtin_memcpy(&value, &bits, sizeof(value)); \
		} \
		return (result)(extended)value; \
	}
#define DEFINE_STORE_AT(name, stored, given) \
	IMAGE_INLINE void name##_at(u8 *memory, u64 memoryBytes, u32 base, u32 offset, given from) \
	{ \
		u8 *const to = CHECKED(base, offset, stored); \
		const stored value = (stored)from; \
		if (IS_ALIGNED(to, sizeof(value))) { \
			__builtin_memcpy(AS_ALIGNED(to, sizeof(value)), &value, sizeof(value)); \
		} else { \
			u64 bits = 0; \
			__builtin_memcpy(&bits, &value, sizeof(value)); \
			image_write_bytes(to, bits, sizeof(value)); \
		} \
	}

DEFINE_LOAD_AT(i32_load, u32, u32, u32)
DEFINE_LOAD_AT(i64_load, u64, u64, u64)
DEFINE_LOAD_AT(f32_load, f32, f32, f32)
DEFINE_LOAD_AT(f64_load, f64, f64, f64)
DEFINE_LOAD_AT(i32_load8_s, s8, s32, u32)
DEFINE_LOAD_AT(i64_load8_s, s8, s64, u64)
DEFINE_LOAD_AT(i32_load8_u, u8, u32, u32)
DEFINE_LOAD_AT(i64_load8_u, u8, u64, u64)
DEFINE_LOAD_AT(i32_load16_s, s16, s32, u32)
DEFINE_LOAD_AT(i64_load16_s, s16, s64, u64)
DEFINE_LOAD_AT(i32_load16_u, u16, u32, u32)
DEFINE_LOAD_AT(i64_load16_u, u16, u64, u64)
DEFINE_LOAD_AT(i64_load32_s, s32, s64, u64)
DEFINE_LOAD_AT(i64_load32_u, u32, u64, u64)
DEFINE_STORE_AT(i32_store, u32, u32)
DEFINE_STORE_AT(i64_store, u64, u64)
DEFINE_STORE_AT(f32_store, f32, f32)
DEFINE_STORE_AT(f64_store, f64, f64)
DEFINE_STORE_AT(i32_store8, u8, u32)
DEFINE_STORE_AT(i32_store16, u16, u32)
DEFINE_STORE_AT(i64_store8, u8, u64)
DEFINE_STORE_AT(i64_store16, u16, u64)
DEFINE_STORE_AT(i64_store32, u32, u64)

/* Types have 32 bytes. */
IMAGE_INLINE void check_element(const wasm_rt_funcref_table_t *table, u32 index, wasm_rt_func_type_t type)
{
	if (UNLIKELY(index >= table->size) || UNLIKELY(!table->data[index].func))
		wasm_rt_trap((wasm_rt_trap_t)NATIVE_TRAP_ELEMENT);
	const wasm_rt_func_type_t found = table->data[index].func_type;
	if (UNLIKELY(found != type) && memcmp(found, type, 32) != 0)
		wasm_rt_trap(WASM_RT_TRAP_CALL_INDIRECT);
}
#undef CALL_INDIRECT
#define CALL_INDIRECT(table, type, functionType, index, ...) \
	(check_element(&(table), index, functionType), DO_CALL_INDIRECT(table, type, index, __VA_ARGS__))

/* Of the data that memory begins with. */
#undef LOAD_DATA
#define LOAD_DATA(memory, offset, bytes, length) \
	do { \
		if ((u64)(offset) + (length) > (memory).size) \
			wasm_rt_trap((wasm_rt_trap_t)NATIVE_TRAP_DATA); \
		load_data((memory).data + (offset), bytes, length); \
	} while (0)

/* Calls a function of the ABI (image.c). */
u64 image_call(u32 function, const int32_t *parameters);

#endif
