/* svc/guest: how the VM reads a request of the app's and answers it. The app waits meanwhile (guest-request.c). */
#include <string.h>

#include "guest.h"

extern void xs_guest_destructor(void *data);

/*
 * The call that waits, with the mutex held; NULL, and the mutex free, where none does. `number`, where it is
 * not 0, is that of the request that is meant.
 */
static AbiCall *lock_call(Guest *guest, uint32_t number)
{
	pthread_mutex_lock(&guest->mutex);
	if (guest->call && !guest->isStopping && (number == 0 || number == guest->requestNumber))
		return guest->call;
	pthread_mutex_unlock(&guest->mutex);
	return NULL;
}

/* requestNumber(): that of the request that waits, 0 where there is none. */
void xs_guest_request_number(xsMachine *the)
{
	Guest *guest = xsmcGetHostDataValidate(xsThis, xs_guest_destructor);
	uint32_t number = 0;
	if (lock_call(guest, 0)) {
		number = guest->requestNumber;
		pthread_mutex_unlock(&guest->mutex);
	}
	xsmcSetNumber(xsResult, number);
}

static uint32_t room_of(const AbiFunction *function, const AbiCall *call)
{
	for (unsigned int index = 0; index < function->rangeCount; index++) {
		if (function->ranges[index].isWritten)
			return call->ranges[index].byteLength;
	}
	return 0;
}

/* xsResult[name], with an array in xsVar(0). xsVar(1) is used. */
static void push_number(xsMachine *the, uint32_t index, double value)
{
	xsmcSetNumber(xsVar(1), value);
	xsmcSetIndex(xsVar(0), index, xsVar(1));
}

/* describeRequest(): { function, parameters, inputByteLengths, room } of the request that waits. */
void xs_guest_describe_request(xsMachine *the)
{
	Guest *guest = xsmcGetHostDataValidate(xsThis, xs_guest_destructor);
	AbiCall *waiting = lock_call(guest, 0);
	if (!waiting)
		return;
	const AbiFunction *function = guest->requested;
	const AbiCall call = *waiting;		// what follows allocates, which may collect, with the mutex free
	pthread_mutex_unlock(&guest->mutex);
	xsmcVars(2);
	xsmcSetNewObject(xsResult);
	xsmcSetString(xsVar(0), (char *)function->name);
	xsmcSet(xsResult, xsID("function"), xsVar(0));
	xsmcSetNewArray(xsVar(0), function->parameterCount);
	for (uint32_t index = 0; index < function->parameterCount; index++)
		push_number(the, index, call.parameters[index]);
	xsmcSet(xsResult, xsID("parameters"), xsVar(0));
	uint32_t inputCount = 0;
	xsmcSetNewArray(xsVar(0), 0);
	for (unsigned int index = 0; index < function->rangeCount; index++) {
		if (!function->ranges[index].isWritten)
			push_number(the, inputCount++, call.ranges[index].byteLength);
	}
	xsmcSet(xsResult, xsID("inputByteLengths"), xsVar(0));
	xsmcSetNumber(xsVar(0), room_of(function, &call));
	xsmcSet(xsResult, xsID("room"), xsVar(0));
}

/* The `wanted`th stretch that is written, or that is not; -1 where there is none. */
static int find_range(const AbiFunction *function, uint32_t wanted, bool isWritten)
{
	for (unsigned int index = 0; index < function->rangeCount; index++) {
		if (function->ranges[index].isWritten == isWritten && wanted-- == 0)
			return index;
	}
	return -1;
}

/* readInput(number, index, into, offset): @returns the bytes copied */
void xs_guest_read_input(xsMachine *the)
{
	void *into;
	xsUnsignedValue length;
	const uint32_t number = xsmcToInteger(xsArg(0));
	const uint32_t input = xsmcToInteger(xsArg(1));
	const double offset = xsmcToNumber(xsArg(3));
	Guest *guest = xsmcGetHostDataValidate(xsThis, xs_guest_destructor);
	xsmcGetBufferWritable(xsArg(2), &into, &length);
	AbiCall *call = lock_call(guest, number);
	if (!call)
		xsUnknownError("the app does not wait for this request");
	const int index = find_range(guest->requested, input, false);
	const bool isThere = index >= 0 && offset >= 0 && offset <= call->ranges[index].byteLength;
	if (isThere) {
		const uint32_t left = call->ranges[index].byteLength - (uint32_t)offset;
		if (length > left)
			length = left;
		memcpy(into, call->ranges[index].bytes + (uint32_t)offset, length);
	}
	pthread_mutex_unlock(&guest->mutex);
	if (!isThere)
		xsRangeError("no input %u with a byte %.0f", (unsigned int)input, offset);
	xsmcSetNumber(xsResult, length);
}

/* writeAnswer(bytes, offset) */
void xs_guest_write_answer(xsMachine *the)
{
	void *bytes;
	xsUnsignedValue length;
	const double offset = xsmcToNumber(xsArg(1));
	Guest *guest = xsmcGetHostDataValidate(xsThis, xs_guest_destructor);
	xsmcGetBufferReadable(xsArg(0), &bytes, &length);
	AbiCall *call = lock_call(guest, 0);
	if (!call)
		xsUnknownError("no request waits");
	const int index = find_range(guest->requested, 0, true);
	const uint32_t room = room_of(guest->requested, call);
	const bool fits = index >= 0 && offset >= 0 && offset <= room && length <= room - (uint32_t)offset;
	if (fits)
		memcpy(call->ranges[index].bytes + (uint32_t)offset, bytes, length);
	pthread_mutex_unlock(&guest->mutex);
	if (!fits)
		xsRangeError("the app has room for %u bytes", (unsigned int)room);
}

/* Number.MAX_SAFE_INTEGER: XS keeps its own macro to its own files on boards. */
static const double MAX_SAFE_INTEGER = 9007199254740991;

/* answer(result) */
void xs_guest_answer(xsMachine *the)
{
	const double result = xsmcToNumber(xsArg(0));
	Guest *guest = xsmcGetHostDataValidate(xsThis, xs_guest_destructor);
	AbiCall *call = lock_call(guest, 0);
	if (!call)
		xsUnknownError("no request waits");
	const double most = guest->requested->isWide ? MAX_SAFE_INTEGER : INT32_MAX;
	const bool isResult = result >= -most - 1 && result <= most;
	if (!isResult)
		pthread_mutex_unlock(&guest->mutex);
	if (!isResult)
		xsRangeError("the result is not one of this function");
	call->result = (int64_t)result;
	guest->call = NULL;
	pthread_cond_broadcast(&guest->changed);
	pthread_mutex_unlock(&guest->mutex);
}
