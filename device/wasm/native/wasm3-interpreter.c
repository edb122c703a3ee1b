/*
 * wasm3's compiler and interpreter, m3_compile.c, as it is, with what it lacks put into the places that it
 * leaves for it: in its macros and in the functions that it calls.
 *
 * wasm3 asks its host at each call (m3_Yield), through a function, and at no other time. A check in line
 * where a function or a loop is entered costs less and sees more: one function may enter thousands of loops
 * one after the other, each with a frame on the native stack that is there until the function returns. A check
 * at each branch back to a loop ends the ones that are running.
 */
#include <string.h>

#include "wasm3-trampoline.h"

#include "m3_env.h"
#include "m3_compile.h"
#include "m3_exec_defs.h"
#include "m3_exception.h"
#include "m3_info.h"
#include "m3_math_utils.h"

#include "backtrace.h"
#include "interruption.h"

_Thread_local StackBounds stackBounds;

/* op_Entry and op_Loop begin with it, and nothing else has it. */
#undef d_m3ClearRegisters
#define d_m3ClearRegisters \
	if (M3_UNLIKELY(is_beyond_limit())) \
		newTrap(m3Err_trapStackOverflow); \
	_r0 = 0; \
	_fp0 = 0.;

#if SVC_WASM3_TRAMPOLINE
const char wasm3HasNext[1];

m3ret_t run_operations(d_m3OpSig)
{
	m3ret_t result;
	_mem = _given;
	do {
		result = ((IM3Operation)*_pc)(_pc + 1, d_m3OpArgs);
		_pc = _registers->next;
	} while (result == wasm3HasNext);
	return result;
}

/* A call leaves its caller's registers as they were: a float may stay in its register meanwhile. */
static m3ret_t run_call(d_m3OpSig)
{
	const m3reg_t integer = _r0;
	const f64 number = _fp0;
	m3ret_t result = run_operations(_pc, _sp, _given, _registers);
	_r0 = integer;
	_fp0 = number;
	return result;
}

m3ret_t run_code(pc_t code, m3stack_t stack, M3MemoryHeader *memory)
{
	Registers registers = { 0 };
	return run_operations(code, stack, memory, &registers);
}

/* At the start of wasm3's Call(), whose rest would leave to the next instruction instead of returning a result. */
#define m3_Yield() m3Err_none; return run_call(_pc, _sp, _given, _registers)
#else
/* Asked at each call; limits are checked where a function is entered. */
#define m3_Yield() m3Err_none
#endif

/*
 * Traps say which functions they went through, but wasm3's way would allocate every frame, and for every word
 * of its code one that says where in the module it comes from. The structures are declared without that by
 * now; what is left are the places that tell of a frame. The runtime's user data begins with the backtrace.
 */
#undef d_m3RecordBacktraces
#define d_m3RecordBacktraces 1
#define EmitMappingEntry(PAGE, OFFSET) note_place(o)
#define PushBacktraceFrame(RUNTIME, PC) backtrace_push((RUNTIME)->userdata, PC)
#define FillBacktraceFunctionInfo(RUNTIME, FUNCTION) backtrace_fill((RUNTIME)->userdata, FUNCTION)

/* The compiler, at each of its own instructions. What a function begins with is of no instruction of the module's. */
static inline void note_place(IM3Compilation o)
{
	const M3CodePageHeader *page = &o->page->info;
	Backtrace *backtrace = o->runtime->userdata;
	if (M3_UNLIKELY(backtrace && backtrace->places))
		backtrace_note(backtrace, page->sequence, page->lineIndex, (o->lastOpcodeStart ? o->lastOpcodeStart : o->wasm) - o->module->wasmStart);
}

/* The compiler, at each instruction: blocks may be nested deeply, and functions take long. */
static M3Result read_opcode(m3opcode_t *opcode, bytes_t *bytes, cbytes_t end)
{
	if (M3_UNLIKELY(stack_pointer() < stackBounds.floor))
		return m3Err_trapStackOverflow;
	return M3_UNLIKELY(is_to_end()) ? m3Err_trapAbort : Read_opcode(opcode, bytes, end);
}
#define Read_opcode read_opcode

/* memory.grow adds in 32 bits, so growing by 0xffffffff pages would shrink the memory by one. */
static M3Result grow_memory(IM3Runtime runtime, u32 pages)
{
	return pages < runtime->memory.numPages ? m3Err_wasmMemoryOverflow : ResizeMemory(runtime, pages);
}
#define ResizeMemory grow_memory

/*
 * memory.fill and memory.copy, a hundred thousand of them in a row over the whole memory, would take minutes.
 * What the app's memory holds is of no interest any more when the app is to end. wasm3 clears less than this
 * for itself.
 */
enum { LONG_BYTES = 32 * 1024 };
_Static_assert(sizeof(M3Compilation) < LONG_BYTES, "the compiler's own memory is always cleared");

static inline void *set_bytes(void *to, int byte, size_t length)
{
	return length >= LONG_BYTES && is_to_end() ? to : memset(to, byte, length);
}
static inline void *move_bytes(void *to, const void *from, size_t length)
{
	return length >= LONG_BYTES && is_to_end() ? to : memmove(to, from, length);
}
#define memset set_bytes
#define memmove move_bytes

/* Rounding makes a signalling NaN quiet; compilers that do it in line pass every NaN on as it is. */
#define QUIETING(NAME) \
	static inline f64 quieting_##NAME(f64 value) \
	{ \
		return M3_UNLIKELY(value != value) ? value + value : NAME(value); \
	}
QUIETING(floor)
QUIETING(ceil)
QUIETING(trunc)
QUIETING(rint)
#define floor quieting_floor
#define ceil quieting_ceil
#define trunc quieting_trunc
#define rint quieting_rint

/*
 * A branch back to a loop leaves all instructions of its turn, so what ends a loop that is running belongs there.
 * wasm3's own two instructions go by other names, of which there is no use.
 */
#define M3_COMPILE_OPCODES
#define op_ContinueLoop wasm3_ContinueLoop
#define op_ContinueLoopIf wasm3_ContinueLoopIf
#include "m3_exec.h"
#undef op_ContinueLoop
#undef op_ContinueLoopIf

d_m3Op(ContinueLoop)
{
	return M3_UNLIKELY(is_to_end()) ? m3Err_trapAbort : immediate(void *);
}

d_m3Op(ContinueLoopIf)
{
	i32 condition = (i32)_r0;
	void *loop = immediate(void *);
	if (!condition)
		nextOp();
	return M3_UNLIKELY(is_to_end()) ? m3Err_trapAbort : loop;
}

#include "wasm3-values.h"
#define CompileFunction compile_function
#include "m3_compile.c"
#undef CompileFunction
#include "wasm3-values.h"

M3Result CompileFunction(IM3Function function)
{
	M3Result result = compile_function(function);
	if (!result)
		backtrace_compiled(function->module->runtime->userdata, function - function->module->functions);
	return result;
}
