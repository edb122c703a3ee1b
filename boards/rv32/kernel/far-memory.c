/* A region that is allocated from its start (far-memory.h). */
#include "far-memory.h"

#include <stdio.h>
#include <string.h>

#include "board.h"

/* A script with three uploads of 256 KiB takes 1.2 MB; a queue that grows leaves less than its size unused. */
enum { REGION_BYTES = 6 << 20, ALIGNMENT = 16, FIRST_CAPACITY = 4096 };

static _Alignas(ALIGNMENT) uint8_t region[REGION_BYTES];
static size_t used;

void *far_memory(size_t byteLength)
{
	size_t rounded = (byteLength + ALIGNMENT - 1) & ~(size_t)(ALIGNMENT - 1);
	if (byteLength > REGION_BYTES || rounded > REGION_BYTES - used) {
		fprintf(stderr, "script: %u bytes of it and of what was said are too many for the %d that there are\n",
			(unsigned int)(used + byteLength), REGION_BYTES);
		board_power_off(1);
	}
	void *bytes = region + used;
	used += rounded;
	return bytes;
}

const uint8_t *far_queue_head(const FarQueue *queue)
{
	return queue->bytes + queue->start;
}

static void make_room(FarQueue *queue, size_t count)
{
	size_t capacity = queue->capacity ? queue->capacity : FIRST_CAPACITY;
	while (capacity < queue->length + count)
		capacity *= 2;
	uint8_t *bytes = capacity > queue->capacity ? far_memory(capacity) : queue->bytes;
	if (queue->length > 0)
		memmove(bytes, far_queue_head(queue), queue->length);
	queue->bytes = bytes;
	queue->capacity = capacity;
	queue->start = 0;
}

void far_queue_append(FarQueue *queue, const uint8_t *bytes, size_t count)
{
	if (count == 0)
		return;
	if (count > queue->capacity - queue->start - queue->length)
		make_room(queue, count);
	memcpy(queue->bytes + queue->start + queue->length, bytes, count);
	queue->length += count;
}

void far_queue_drop(FarQueue *queue, size_t count)
{
	queue->start += count;
	queue->length -= count;
	if (queue->length == 0)
		queue->start = 0;
}
