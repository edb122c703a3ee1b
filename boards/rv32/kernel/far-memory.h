/* Memory for the script and its wires. It is not part of the heap, so that malloc() serves only the console. */
#ifndef SVC_FAR_MEMORY_H
#define SVC_FAR_MEMORY_H

#include <stddef.h>
#include <stdint.h>

/* Never freed: the caller keeps unused memory for reuse. Ends the run if no memory is left. */
void *far_memory(size_t byteLength);

/* A byte queue of unlimited length. Initially zeros. */
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
