/* Runs an app's module in wasm3: from the bytes of the module to how the app has ended. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "guest-engine.h"
#include "m3_env.h"
#include "module-bytes.h"

/*
 * A caller puts parameters and room for results beyond its own slots before the callee checks the stack: at
 * most d_m3MaxSaneFunctionArgRetCount of them.
 */
enum { OPERAND_STACK_MARGIN_SLOTS = d_m3MaxSaneFunctionArgRetCount * 2 + 16 };

typedef struct {
	IM3Environment environment;
	IM3Runtime runtime;
	IM3Module module;
	IM3Function entry;
	CodePlace places[BACKTRACE_FRAMES];		/* of the frames, where it has trapped */
} Execution;

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

/* Pages that initial values were computed in are used again: they have to be told from those that follow, from 1 on. */
static void number_pages(IM3CodePage page)
{
	for (uint32_t number = UINT32_MAX; page; page = page->info.next)
		page->info.sequence = number--;
}

/* @returns NULL, or the reason why the app cannot start, for the exit's message */
static const char *load(Guest *guest, Execution *execution)
{
	execution->environment = m3_NewEnvironment();
	execution->runtime = execution->environment ? new_runtime(guest, execution->environment) : NULL;
	if (!execution->runtime)
		return guest_fail(guest, GUEST_HOST_ERROR, m3Err_mallocFailed);
	module_hide_names(guest->module, guest->moduleByteLength);
	M3Result error = m3_ParseModule(execution->environment, &execution->module, guest->module, guest->moduleByteLength);
	if (error)
		return guest_fail(guest, GUEST_HOST_ERROR, error);
	IM3Module module = execution->module;
	const uint32_t quotaPages = guest->memoryQuotaBytes / d_m3MemPageSize;
	if (module->memoryInfo.initPages > quotaPages)
		return guest_fail(guest, GUEST_QUOTA, "memory at the start is over the quota");
	const uint32_t maximumPages = memory_maximum(&module->memoryInfo, quotaPages);
	error = m3_LoadModule(execution->runtime, module);
	execution->runtime->memory.maxPages = maximumPages;
	number_pages(execution->environment->pagesReleased);
	return error ? guest_fail(guest, error == m3Err_mallocFailed ? GUEST_QUOTA : GUEST_TRAP, error) : NULL;
}

/* The preparer has put a global after all others (prepared-layout.ts). */
static const char *require_prepared(Guest *guest, IM3Module module)
{
	IM3Global global = module->numGlobals > 0 ? &module->globals[module->numGlobals - 1] : NULL;
	if (!global || global->imported || !global->isMutable || global->type != c_m3Type_i32)
		return guest_fail(guest, GUEST_HOST_ERROR, "the module has not been prepared");
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
		return guest_fail(guest, GUEST_HOST_ERROR, message);
	}
	execution->entry = &execution->module->functions[index];
	if (!can_be_entry(execution->entry->funcType)) {
		snprintf(message, sizeof(message), "parameters or results of \"%s\"", guest->entry);
		return guest_fail(guest, GUEST_HOST_ERROR, message);
	}
	return NULL;
}

static const char *link_module(Guest *guest, Execution *execution)
{
	char message[GUEST_MESSAGE_BYTES];
	const char *error = guest_link(execution->module, message);
	if (error)
		return guest_fail(guest, GUEST_HOST_ERROR, error);
	const char *reason = require_prepared(guest, execution->module);
	return reason ? reason : find_entry(guest, execution);
}

static M3Result run(Guest *guest, Execution *execution)
{
	static const int32_t zero;
	const void *arguments[] = { &zero, &zero };
	IM3FuncType type = execution->entry->funcType;
	guest->backtrace.order = malloc(execution->module->numFunctions * sizeof(*guest->backtrace.order));
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

static bool find_place(IM3CodePage page, const void *code, CodePlace *place)
{
	for (; page; page = page->info.next) {
		const size_t line = ((uintptr_t)code - (uintptr_t)page->code) / sizeof(*page->code);
		if (code >= (const void *)page->code && line < page->info.lineIndex) {
			*place = (CodePlace){ page->info.sequence, line, 0 };
			return true;
		}
	}
	return false;
}

static void name_frames(Guest *guest, Execution *execution)
{
	const Backtrace *backtrace = &guest->backtrace;
	IM3Runtime runtime = execution->runtime;
	for (uint32_t index = 0; index < backtrace->count && index < BACKTRACE_FRAMES; index++) {
		if (!backtrace->functions[index])
			continue;
		CodePlace *place = &execution->places[guest->exit.frameCount];
		if (!find_place(runtime->pagesOpen, backtrace->codes[index], place))
			find_place(runtime->pagesFull, backtrace->codes[index], place);
		name_frame(guest, execution->module, backtrace->functions[index]);
	}
}

static void release(Execution *execution)
{
	if (execution->module && !execution->module->runtime)
		m3_FreeModule(execution->module);
	m3_FreeRuntime(execution->runtime);
	m3_FreeEnvironment(execution->environment);
	execution->environment = NULL;
	execution->runtime = NULL;
	execution->module = NULL;
}

/*
 * Finds the frames' instructions in the module (backtrace.h). What the app had is free again, so that this takes no more
 * memory than it did; where some is missing, or the app is to end, the offsets stay unknown.
 */
static void locate_frames(Guest *guest, Execution *execution)
{
	Backtrace *backtrace = &guest->backtrace;
	backtrace->places = execution->places;
	backtrace->placeCount = guest->exit.frameCount;
	bool isSame = backtrace->order && !load(guest, execution) && !link_module(guest, execution);
	for (uint32_t index = 0; isSame && index < backtrace->compiledCount; index++)
		isSame = !CompileFunction(&execution->module->functions[backtrace->order[index]]);
	for (uint32_t index = 0; isSame && index < backtrace->placeCount; index++)
		guest->exit.offsets[index] = execution->places[index].offset;
	release(execution);
}

const char *guest_run_module(Guest *guest)
{
	Execution execution = { 0 };
	const char *reason = load(guest, &execution);
	if (!reason)
		reason = link_module(guest, &execution);
	if (!reason) {
		M3Result error = run(guest, &execution);
		if (error && error != m3Err_trapExit)
			name_frames(guest, &execution);
		release(&execution);
		if (guest->exit.frameCount > 0)
			locate_frames(guest, &execution);
		reason = guest_reason(guest, error);
	}
	release(&execution);
	free(guest->backtrace.order);
	return reason;
}
