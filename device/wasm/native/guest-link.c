/*
 * Where the app's calls come in. Every import is linked to one function that checks what the table of the ABI
 * says (abi.h) and only then does anything; native images call it by themselves.
 */
#include <stdio.h>
#include <string.h>

#include "guest-engine.h"
#include "interruption.h"
#include "m3_env.h"

static const char TRAP_CAPABILITY[] = "[trap] capability";

/* Finds the stretch of memory. Lengths are products of two, so this counts in 64 bits. */
static bool find_range(const AbiRange *range, AbiCall *call, unsigned int index, uint8_t *memory, size_t memoryBytes)
{
	const uint64_t address = (uint32_t)call->parameters[range->pointer];
	const int64_t first = call->parameters[range->first];
	const int64_t second = range->second < 0 ? 1 : call->parameters[range->second];
	if (first < 0 || second < 0)
		return false;
	const uint64_t length = (uint64_t)(first * second) * range->unitBytes;
	if (address > memoryBytes || length > memoryBytes - address)
		return false;
	call->ranges[index].bytes = memory + address;
	call->ranges[index].byteLength = (uint32_t)length;
	return true;
}

const char *guest_call(Guest *guest, const AbiFunction *function, AbiCall *call, uint8_t *memory, size_t memoryBytes)
{
	if (is_beyond_limit())
		return m3Err_trapStackOverflow;
	if (function->capability & ~guest->capabilities)
		return TRAP_CAPABILITY;
	for (unsigned int index = 0; index < function->rangeCount; index++) {
		if (!find_range(&function->ranges[index], call, index, memory, memoryBytes))
			return m3Err_trapOutOfBoundsMemoryAccess;
	}
	return function->handler ? function->handler(guest, call) : guest_request(guest, function, call);
}

static const void *call_function(IM3Runtime runtime, IM3ImportContext context, uint64_t *stack, void *memory)
{
	Guest *guest = runtime->userdata;
	const AbiFunction *function = context->userdata;
	const unsigned int resultCount = context->function->funcType->numRets;
	AbiCall call;
	call.result = 0;
	for (unsigned int index = 0; index < function->parameterCount; index++)
		call.parameters[index] = (int32_t)stack[resultCount + index];
	const char *trap = guest_call(guest, function, &call, memory, runtime->memory.mallocated->length);
	if (resultCount)
		*stack = function->isWide ? (uint64_t)call.result : (uint32_t)call.result;
	return trap;
}

const AbiFunction *guest_find_function(const char *name)
{
	for (uint32_t index = 0; index < abiFunctionCount; index++) {
		if (strcmp(name, abiFunctions[index].name) == 0)
			return &abiFunctions[index];
	}
	return NULL;
}

static const AbiFunction *find_import(const M3ImportInfo *import)
{
	return strcmp(import->moduleUtf8, abiModule) == 0 ? guest_find_function(import->fieldUtf8) : NULL;
}

/* The parameters of the table, and its result or none. */
static bool has_type(const AbiFunction *function, IM3FuncType type)
{
	if (type->numArgs != function->parameterCount || type->numRets > 1)
		return false;
	for (unsigned int index = 0; index < type->numArgs; index++) {
		if (d_FuncArgType(type, index) != c_m3Type_i32)
			return false;
	}
	return type->numRets == 0 || d_FuncRetType(type, 0) == (function->isWide ? c_m3Type_i64 : c_m3Type_i32);
}

const char *guest_link(IM3Module module, char message[GUEST_MESSAGE_BYTES])
{
	for (uint32_t index = 0; index < module->numFuncImports; index++) {
		IM3Function function = &module->functions[index];
		if (!function->import.moduleUtf8 || !function->import.fieldUtf8)
			return m3Err_mallocFailed;
		const AbiFunction *abi = find_import(&function->import);
		if (!abi || !has_type(abi, function->funcType)) {
			snprintf(message, GUEST_MESSAGE_BYTES, abi ? "type of import \"%.32s.%.48s\"" : "no import \"%.32s.%.48s\"",
				function->import.moduleUtf8, function->import.fieldUtf8);
			return message;
		}
		M3Result error = CompileRawFunction(module, function, (const void *)call_function, abi);
		if (error)
			return error;
	}
	return NULL;
}
