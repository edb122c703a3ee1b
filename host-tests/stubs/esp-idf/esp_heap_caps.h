/* Stub, written for tests: what device/hosts/esp32 uses of heap, by its documentation; nothing of it runs. */
#ifndef STUB_ESP_HEAP_CAPS_H
#define STUB_ESP_HEAP_CAPS_H

#include <stddef.h>
#include <stdint.h>

#include "sdkconfig.h"

#if CONFIG_HEAP_HAS_EXEC_HEAP
	#define MALLOC_CAP_EXEC (1 << 0)
#endif
#define MALLOC_CAP_8BIT (1 << 2)
#define MALLOC_CAP_DMA (1 << 3)
#define MALLOC_CAP_SPIRAM (1 << 10)
#define MALLOC_CAP_INTERNAL (1 << 11)
#define MALLOC_CAP_INVALID (1 << 31)

void *heap_caps_malloc(size_t size, uint32_t caps);
void heap_caps_free(void *block);
void heap_caps_malloc_extmem_enable(size_t limit);
size_t heap_caps_get_total_size(uint32_t caps);
size_t heap_caps_get_free_size(uint32_t caps);
size_t heap_caps_get_largest_free_block(uint32_t caps);
size_t heap_caps_get_minimum_free_size(uint32_t caps);

#endif
