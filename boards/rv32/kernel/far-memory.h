/*
 * Memory of the other side: the script's, the wires'. It is no part of the heap, so that what malloc() has given out is
 * the console's alone.
 */
#ifndef SVC_FAR_MEMORY_H
#define SVC_FAR_MEMORY_H

#include <stddef.h>
#include <stdint.h>

/* Never freed: keep unused memory for the next caller that needs it. Ends the run where no memory is left. */
void *far_memory(size_t byteLength);

/* Bytes that are added at the end and taken from the front, as many as come. Starts as zeros. */
typedef struct {
	uint8_t *bytes;
	size_t capacity;
	size_t start;
	size_t length;
} FarQueue;

const uint8_t *far_queue_head(const FarQueue *queue);
void far_queue_append(FarQueue *queue, const uint8_t *bytes, size_t count);
void far_queue_drop(FarQueue *queue, size_t count);

#endif
