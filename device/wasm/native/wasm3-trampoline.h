/*
 * wasm3's instructions without calls in tail position. wasm3 ends each instruction in a call of the next one, which
 * compilers turn into a jump, but not for the windowed ABI of Xtensa: every instruction takes a frame of the native stack
 * there until the next loop or return. With `SVC_WASM3_TRAMPOLINE` an instruction stores where the next one is and
 * returns, and `run_operations` calls that one. So calls and loops alone take native stack, and both check it
 * (interruption.h).
 *
 * It stands in for m3_exec_defs.h, which has the same names: `_pc` and `_sp` are parameters, as there, since a loop needs
 * its own after its turn. The other registers are in memory.
 */
#ifndef SVC_WASM3_TRAMPOLINE_H
#define SVC_WASM3_TRAMPOLINE_H

#if defined(__XTENSA__) && !defined(SVC_WASM3_TRAMPOLINE)
	#define SVC_WASM3_TRAMPOLINE 1
#endif

#if SVC_WASM3_TRAMPOLINE

#ifdef m3_exec_defs_h
	#error "wasm3 has its own definitions already"
#endif
#define m3_exec_defs_h
#include "m3_core.h"

/* Of the code that runs in one call of `run_operations`, and in those within it. */
typedef struct {
	pc_t next;
	M3MemoryHeader *memory;
	m3reg_t integer;
	f64 number;
} Registers;

#define _mem (_registers->memory)
#define _r0 (_registers->integer)
#define _fp0 (_registers->number)

#define m3MemData(mem) (u8 *)(((M3MemoryHeader *)(mem)) + 1)
#define m3MemRuntime(mem) (((M3MemoryHeader *)(mem))->runtime)
#define m3MemInfo(mem) (&(((M3MemoryHeader *)(mem))->runtime->memory))

/* The third parameter is the memory, which wasm3 names where it calls a function. */
#define d_m3OpSig pc_t _pc, m3stack_t _sp, M3MemoryHeader *_given, Registers *_registers
#define d_m3OpArgs _sp, _mem, _registers
#define d_m3OpAllArgs _pc, d_m3OpArgs
#define d_m3OpDefaultArgs _registers
#define d_m3ClearRegisters _r0 = 0; _fp0 = 0.;

typedef m3ret_t (*IM3Operation)(d_m3OpSig);

#define d_m3RetSig static inline m3ret_t
#define d_m3Op(NAME) M3_NO_UBSAN d_m3RetSig op_##NAME(d_m3OpSig)

/* Returned by an instruction that has a next one: no error, and no place in code. */
extern const char wasm3HasNext[1];

/* Runs instructions to the end of their function, or of a turn of their loop. */
m3ret_t run_operations(d_m3OpSig);

/* The same from outside of code. */
m3ret_t run_code(pc_t code, m3stack_t stack, M3MemoryHeader *memory);

static inline m3ret_t leave_to(pc_t next, Registers *_registers)
{
	_registers->next = next;
	return wasm3HasNext;
}

#define nextOpImpl() run_operations(_pc, d_m3OpArgs)
#define nextOpDirect() return leave_to(_pc, _registers)
#define jumpOpDirect(PC) return leave_to((pc_t)(PC), _registers)
#define RunCode(CODE, STACK, MEMORY, ...) run_code(CODE, STACK, MEMORY)

#endif
#endif
