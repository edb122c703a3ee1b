/*
 * What the C of a sandboxed program is made of. `wasm2c` brings a run-time of its own for all of WebAssembly; this one has only the
 * operations that programs may use, so that a program with others does not compile, and every access to memory is
 * checked here. SANDBOX_MEMORY_BYTES is a constant of each program, so a check is one comparison of 32 bits.
 */
#ifndef SANDBOX_RUNTIME_H
#define SANDBOX_RUNTIME_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "sandbox-program.h"

#pragma GCC diagnostic ignored "-Wunused-function"
#pragma GCC diagnostic ignored "-Wunused-label"
#pragma GCC diagnostic ignored "-Wunused-parameter"
#pragma GCC diagnostic ignored "-Wunused-but-set-variable"
#pragma GCC diagnostic ignored "-Wunused-variable"

typedef uint8_t u8;
typedef int8_t s8;
typedef uint16_t u16;
typedef int16_t s16;
typedef uint32_t u32;
typedef int32_t s32;

typedef struct {
	u8 *data;
} wasm_rt_memory_t;

#define FUNC_PROLOGUE
#define FUNC_EPILOGUE
#define UNLIKELY(condition) __builtin_expect(condition, 0)
#define TRAP(reason) (sandbox_trap(), 0)
#define UNREACHABLE sandbox_trap()
#define SANDBOX_INLINE static inline __attribute__((always_inline))

/* Whether `byteLength` bytes from `base + offset` are not all in memory, where the sum might wrap. */
SANDBOX_INLINE bool is_outside(u32 base, u32 offset, u32 byteLength)
{
	if (offset > SANDBOX_MEMORY_BYTES || byteLength > SANDBOX_MEMORY_BYTES - offset)
		return true;
	return base > SANDBOX_MEMORY_BYTES - offset - byteLength;
}

/*
 * Packed, since an address may be unaligned: for memcpy() of four bytes, compilers call a function where the processor
 * needs alignment and the code is to be small. All our targets are little-endian, as WebAssembly is.
 */
#define DEFINE_LOAD(name, stored, extended)                                             \
	SANDBOX_INLINE u32 name(const wasm_rt_memory_t *memory, u32 base, u32 offset)       \
	{                                                                                   \
		typedef struct { stored value; } __attribute__((packed, may_alias)) Unaligned;  \
		if (UNLIKELY(is_outside(base, offset, sizeof(stored))))                         \
			sandbox_trap();                                                             \
		return (u32)(extended)((const Unaligned *)(memory->data + base + offset))->value; \
	}

#define DEFINE_STORE(name, stored)                                                      \
	SANDBOX_INLINE void name(const wasm_rt_memory_t *memory, u32 base, u32 offset, u32 value) \
	{                                                                                   \
		typedef struct { stored value; } __attribute__((packed, may_alias)) Unaligned;  \
		if (UNLIKELY(is_outside(base, offset, sizeof(stored))))                         \
			sandbox_trap();                                                             \
		((Unaligned *)(memory->data + base + offset))->value = (stored)value;           \
	}

DEFINE_LOAD(i32_load, u32, u32)
DEFINE_LOAD(i32_load8_u, u8, u32)
DEFINE_LOAD(i32_load8_s, s8, s32)
DEFINE_LOAD(i32_load16_u, u16, u32)
DEFINE_LOAD(i32_load16_s, s16, s32)
DEFINE_STORE(i32_store, u32)
DEFINE_STORE(i32_store8, u8)
DEFINE_STORE(i32_store16, u16)

static inline void memory_fill(const wasm_rt_memory_t *memory, u32 to, u32 value, u32 byteLength)
{
	if (UNLIKELY(is_outside(to, 0, byteLength)))
		sandbox_trap();
	memset(memory->data + to, (int)(value & 0xff), byteLength);
}

static inline void memory_copy(const wasm_rt_memory_t *to, const wasm_rt_memory_t *from, u32 toAddress,
	u32 fromAddress, u32 byteLength)
{
	if (UNLIKELY(is_outside(toAddress, 0, byteLength) || is_outside(fromAddress, 0, byteLength)))
		sandbox_trap();
	memmove(to->data + toAddress, from->data + fromAddress, byteLength);
}

#define DIV_U(one, other) (UNLIKELY((other) == 0) ? TRAP(DIV_BY_ZERO) : (one) / (other))
#define REM_U(one, other) (UNLIKELY((other) == 0) ? TRAP(DIV_BY_ZERO) : (one) % (other))

static inline u32 I32_DIV_S(u32 one, u32 other)
{
	if (UNLIKELY(other == 0 || (one == 0x80000000u && other == 0xffffffffu)))
		sandbox_trap();
	return (u32)((s32)one / (s32)other);
}

static inline u32 I32_REM_S(u32 one, u32 other)
{
	if (UNLIKELY(other == 0))
		sandbox_trap();
	return other == 0xffffffffu ? 0 : (u32)((s32)one % (s32)other);
}

#define I32_CLZ(value) ((value) ? (u32)__builtin_clz(value) : 32u)
#define I32_CTZ(value) ((value) ? (u32)__builtin_ctz(value) : 32u)
#define I32_POPCNT(value) ((u32)__builtin_popcount(value))
#define I32_ROTL(value, by) (((value) << ((by) & 31)) | ((value) >> (-(by) & 31)))
#define I32_ROTR(value, by) (((value) >> ((by) & 31)) | ((value) << (-(by) & 31)))

#endif
