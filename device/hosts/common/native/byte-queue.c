/* When room is requested, bytes move to the front, so that the room is contiguous (byte-queue.h). */
#include "byte-queue.h"

#include <string.h>

void byte_queue_open(ByteQueue *queue, uint8_t *bytes, size_t capacity)
{
	*queue = (ByteQueue){ .bytes = bytes, .capacity = capacity };
}

size_t byte_queue_room(const ByteQueue *queue)
{
	return queue->capacity - queue->length;
}

const uint8_t *byte_queue_head(const ByteQueue *queue)
{
	return queue->bytes + queue->start;
}

uint8_t *byte_queue_tail(ByteQueue *queue)
{
	if (queue->start > 0) {
		memmove(queue->bytes, queue->bytes + queue->start, queue->length);
		queue->start = 0;
	}
	return queue->bytes + queue->length;
}

void byte_queue_added(ByteQueue *queue, size_t count)
{
	queue->length += count;
}

void byte_queue_append(ByteQueue *queue, const uint8_t *bytes, size_t count)
{
	if (count > 0)
		memcpy(byte_queue_tail(queue), bytes, count);
	queue->length += count;
}

void byte_queue_drop(ByteQueue *queue, size_t count)
{
	queue->start += count;
	queue->length -= count;
	if (queue->length == 0)
		queue->start = 0;
}

void byte_queue_clear(ByteQueue *queue)
{
	queue->start = queue->length = 0;
}
