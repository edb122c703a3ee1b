/* A buffer of fixed size, filled at its tail and emptied at its head. */
#ifndef SVC_BYTE_QUEUE_H
#define SVC_BYTE_QUEUE_H

#include <stddef.h>
#include <stdint.h>

typedef struct {
	uint8_t *bytes;
	size_t capacity;
	size_t start;
	size_t length;
} ByteQueue;

/* The caller owns `bytes`, which must outlive the queue. */
void byte_queue_open(ByteQueue *queue, uint8_t *bytes, size_t capacity);

size_t byte_queue_room(const ByteQueue *queue);
const uint8_t *byte_queue_head(const ByteQueue *queue);

/* All the room, in one piece. After filling it, pass the number of bytes to byte_queue_added. */
uint8_t *byte_queue_tail(ByteQueue *queue);
void byte_queue_added(ByteQueue *queue, size_t count);

void byte_queue_append(ByteQueue *queue, const uint8_t *bytes, size_t count);
void byte_queue_drop(ByteQueue *queue, size_t count);
void byte_queue_clear(ByteQueue *queue);

#endif
