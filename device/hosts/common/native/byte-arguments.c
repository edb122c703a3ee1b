/* Reading from queues, and lengths of arguments (byte-arguments.h). */
#include "byte-arguments.h"

#include <string.h>

static size_t smaller(size_t a, size_t b)
{
	return a < b ? a : b;
}

static void read_new_buffer(xsMachine *the, ByteQueue *queue, size_t count)
{
	xsmcSetArrayBuffer(xsResult, NULL, (xsIntegerValue)count);
	memcpy(xsmcToArrayBuffer(xsResult), byte_queue_head(queue), count);
	byte_queue_drop(queue, count);
}

static void read_into_buffer(xsMachine *the, ByteQueue *queue)
{
	void *bytes;
	xsUnsignedValue length;
	xsmcGetBufferWritable(xsArg(0), &bytes, &length);
	size_t count = smaller(length, queue->length);
	memcpy(bytes, byte_queue_head(queue), count);
	byte_queue_drop(queue, count);
	xsmcSetInteger(xsResult, (xsIntegerValue)count);
}

void read_from_queue(xsMachine *the, ByteQueue *queue)
{
	xsType type = xsmcArgc > 0 ? xsmcTypeOf(xsArg(0)) : xsUndefinedType;
	if (queue->length == 0)
		return;
	if (type == xsReferenceType)
		read_into_buffer(the, queue);
	else if (type == xsUndefinedType)
		read_new_buffer(the, queue, queue->length);
	else {
		xsNumberValue count = xsmcToNumber(xsArg(0));
		if (!(count > 0))
			xsRangeError("cannot read %g bytes", count);
		read_new_buffer(the, queue, count < queue->length ? (size_t)count : queue->length);
	}
}

const uint8_t *bytes_argument(xsMachine *the, xsSlot *argument, xsUnsignedValue byteLength)
{
	void *bytes;
	xsUnsignedValue length;
	xsmcGetBufferReadable(*argument, &bytes, &length);
	if (length != byteLength)
		xsRangeError("%d bytes, not %d", (int)length, (int)byteLength);
	return bytes;
}
