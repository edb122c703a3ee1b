/* The app's thread: from the bytes of a module to how the app has ended. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "guest.h"
#include "interruption.h"
#include "m3_env.h"
#include "module-bytes.h"

/*
 * wasm3 keeps locals and operands on a stack of its own. Four times the native stack: a call takes some 100
 * bytes of that on the board, so that functions with up to a hundred slots use up both at the same depth.
 */
enum { OPERAND_STACK_FACTOR = 4 };

/*
 * A caller puts parameters and room for results beyond its own slots before the callee checks the stack: at
 * most d_m3MaxSaneFunctionArgRetCount of them.
 */
enum { OPERAND_STACK_MARGIN_SLOTS = d_m3MaxSaneFunctionArgRetCount * 2 + 16 };

/*
 * Beyond what the app may use: for wasm3's compiler, which evaluates constant expressions in a runtime that it
 * keeps on the stack and recurses for each nested block (some 350 bytes on 32 bits), and for host functions and
 * signal handlers.
 */
enum {
	COMPILER_STACK_BYTES = 24 * 1024 * GUEST_STACK_SCALE,
	COMPILER_BLOCK_BYTES = 512 * GUEST_STACK_SCALE,
	HOST_STACK_BYTES = 16 * 1024 * GUEST_STACK_SCALE,
};

typedef struct {
	IM3Environment environment;
	IM3Runtime runtime;
	IM3Module module;
	IM3Function entry;
} Execution;

static const char QUOTA[] = "quota", TRAP[] = "trap", HOST_ERROR[] = "host_error";

static size_t compiler_stack_bytes(const Guest *guest)
{
	return COMPILER_STACK_BYTES + (size_t)guest->nestedBlocks * COMPILER_BLOCK_BYTES;
}

size_t guest_thread_stack_bytes(const Guest *guest)
{
	return (size_t)guest->stackBytes * GUEST_STACK_SCALE + compiler_stack_bytes(guest) + HOST_STACK_BYTES;
}

/* What the app has been told holds from its next call or loop on. With `mutex` held. */
static void set_limit(Guest *guest)
{
	StackBounds *bounds = guest->stackBounds;
	const bool isInterrupted = guest->isStopping || guest->isSuspended;
	if (bounds)
		atomic_store_explicit(&bounds->limit, isInterrupted ? UINTPTR_MAX : bounds->ownLimit, memory_order_relaxed);
	pthread_cond_broadcast(&guest->changed);
}

void guest_interrupt(Guest *guest)
{
	guest->isStopping = true;
	set_limit(guest);
}

void guest_suspend(Guest *guest, bool isSuspended)
{
	guest->isSuspended = isSuspended;
	set_limit(guest);
}

/* Gives the VM what it interrupts the app with; an app that was stopped or suspended before is interrupted now. */
static void publish(Guest *guest, StackBounds *bounds)
{
	pthread_mutex_lock(&guest->mutex);
	guest->stackBounds = bounds;
	set_limit(guest);
	pthread_mutex_unlock(&guest->mutex);
}

static void bound_stack(Guest *guest)
{
	stackBounds.guest = guest;
	stackBounds.ownLimit = stack_pointer() - guest->stackBytes * GUEST_STACK_SCALE;
	stackBounds.floor = stackBounds.ownLimit - compiler_stack_bytes(guest);
	publish(guest, &stackBounds);
}

static const char *fail(Guest *guest, const char *reason, const char *message)
{
	snprintf(guest->exit.message, sizeof(guest->exit.message), "%s", message);
	return reason;
}

static IM3Runtime new_runtime(Guest *guest, IM3Environment environment)
{
	const uint32_t stackBytes = guest->stackBytes * OPERAND_STACK_FACTOR;
	IM3Runtime runtime = m3_NewRuntime(environment, stackBytes + OPERAND_STACK_MARGIN_SLOTS * sizeof(m3slot_t), guest);
	if (runtime)
		runtime->numStackSlots -= OPERAND_STACK_MARGIN_SLOTS;
	return runtime;
}

/* wasm3 takes a maximum of 0 for none. A prepared module always has one, and 0 only for a memory without a page. */
static uint32_t memory_maximum(const M3MemoryInfo *memory, uint32_t quotaPages)
{
	if (memory->maxPages == 0)
		return memory->initPages == 0 ? 0 : quotaPages;
	return memory->maxPages < quotaPages ? memory->maxPages : quotaPages;
}

/* @returns NULL, or the reason why the app cannot start, for the exit's message */
static const char *load(Guest *guest, Execution *execution)
{
	execution->environment = m3_NewEnvironment();
	execution->runtime = execution->environment ? new_runtime(guest, execution->environment) : NULL;
	if (!execution->runtime)
		return fail(guest, HOST_ERROR, m3Err_mallocFailed);
	module_hide_names(guest->module, guest->moduleByteLength);
	M3Result error = m3_ParseModule(execution->environment, &execution->module, guest->module, guest->moduleByteLength);
	if (error)
		return fail(guest, HOST_ERROR, error);
	IM3Module module = execution->module;
	const uint32_t quotaPages = guest->memoryQuotaBytes / d_m3MemPageSize;
	if (module->memoryInfo.initPages > quotaPages)
		return fail(guest, QUOTA, "memory at the start is over the quota");
	const uint32_t maximumPages = memory_maximum(&module->memoryInfo, quotaPages);
	error = m3_LoadModule(execution->runtime, module);
	execution->runtime->memory.maxPages = maximumPages;
	return error ? fail(guest, error == m3Err_mallocFailed ? QUOTA : TRAP, error) : NULL;
}

/* The preparer has put a global after all others (prepared-layout.ts). */
static const char *require_prepared(Guest *guest, IM3Module module)
{
	IM3Global global = module->numGlobals > 0 ? &module->globals[module->numGlobals - 1] : NULL;
	if (!global || global->imported || !global->isMutable || global->type != c_m3Type_i32)
		return fail(guest, HOST_ERROR, "the module has not been prepared");
	return NULL;
}

/* `main` of whatever compiler: () or (argc, argv), with a result or without. */
static bool can_be_entry(IM3FuncType type)
{
	for (unsigned int index = 0; index < type->numArgs; index++) {
		if (d_FuncArgType(type, index) != c_m3Type_i32)
			return false;
	}
	return (type->numArgs == 0 || type->numArgs == 2)
		&& (type->numRets == 0 || (type->numRets == 1 && d_FuncRetType(type, 0) == c_m3Type_i32));
}

static const char *find_entry(Guest *guest, Execution *execution)
{
	const int64_t index =
		module_find_export(guest->module, guest->moduleByteLength, guest->entry, strlen(guest->entry));
	char message[GUEST_MESSAGE_BYTES];
	if (index < 0 || index >= execution->module->numFunctions) {
		snprintf(message, sizeof(message), "no exported function \"%s\"", guest->entry);
		return fail(guest, HOST_ERROR, message);
	}
	execution->entry = &execution->module->functions[index];
	if (!can_be_entry(execution->entry->funcType)) {
		snprintf(message, sizeof(message), "parameters or results of \"%s\"", guest->entry);
		return fail(guest, HOST_ERROR, message);
	}
	return NULL;
}

static const char *link_module(Guest *guest, Execution *execution)
{
	char message[GUEST_MESSAGE_BYTES];
	const char *error = guest_link(execution->module, message);
	if (error)
		return fail(guest, HOST_ERROR, error);
	const char *reason = require_prepared(guest, execution->module);
	return reason ? reason : find_entry(guest, execution);
}

static M3Result run(Guest *guest, Execution *execution)
{
	static const int32_t zero;
	const void *arguments[] = { &zero, &zero };
	IM3FuncType type = execution->entry->funcType;
	M3Result error = m3_RunStart(execution->module);
	if (!error && !execution->entry->compiled)
		error = CompileFunction(execution->entry);
	if (!error)
		error = m3_Call(execution->entry, type->numArgs, arguments);
	if (!error)
		guest->exit.code = type->numRets ? *(int32_t *)execution->runtime->stack : 0;
	return error;
}

static void name_frame(Guest *guest, IM3Module module, IM3Function function)
{
	char *frame = guest->exit.frames[guest->exit.frameCount];
	const uint32_t index = function - module->functions;
	Bytes name = module_function_name(guest->module, guest->moduleByteLength, index);
	const uint32_t length = guest_copy_text(frame, GUEST_NAME_BYTES - 1, name.at, name.end);
	frame[length] = 0;
	if (length == 0)
		snprintf(frame, GUEST_NAME_BYTES, "#%u", (unsigned int)index);
	guest->exit.frameCount++;
}

static void name_frames(Guest *guest, IM3Module module)
{
	for (uint32_t index = 0; index < guest->backtrace.count && index < BACKTRACE_FRAMES; index++) {
		if (guest->backtrace.functions[index])
			name_frame(guest, module, guest->backtrace.functions[index]);
	}
}

static const char *reason_of(Guest *guest, Execution *execution, M3Result error)
{
	static const char PREFIX[] = "[trap] ";
	if (!error || error == m3Err_trapExit) {
		guest->exit.hasCode = true;
		return "exit";
	}
	name_frames(guest, execution->module);
	const bool isTrap = strncmp(error, PREFIX, sizeof(PREFIX) - 1) == 0;
	return fail(guest, isTrap ? TRAP : HOST_ERROR, isTrap ? error + sizeof(PREFIX) - 1 : error);
}

static void release(Guest *guest, Execution *execution)
{
	publish(guest, NULL);
	if (execution->module && !execution->module->runtime)
		m3_FreeModule(execution->module);
	m3_FreeRuntime(execution->runtime);
	m3_FreeEnvironment(execution->environment);
	free(guest->module);
	guest->module = NULL;
}

/* An app that was to end has been stopped, whatever came of that in the app. */
static void end(Guest *guest, const char *reason)
{
	pthread_mutex_lock(&guest->mutex);
	if (guest->isStopping)
		guest->exit = (GuestExit){ .reason = "stopped" };
	else
		guest->exit.reason = reason;
	guest_unlock_and_wake(guest);
}

void *guest_thread(void *context)
{
	Guest *guest = context;
	Execution execution = { NULL, NULL, NULL, NULL };
	guest_platform_enter_thread(guest->name);
	bound_stack(guest);
	const char *reason = load(guest, &execution);
	if (!reason)
		reason = link_module(guest, &execution);
	if (!reason)
		reason = reason_of(guest, &execution, run(guest, &execution));
	release(guest, &execution);
	end(guest, reason);
	return NULL;
}
