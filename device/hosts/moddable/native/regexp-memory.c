/*
 * XS of the SDK 8.2.3 allocates the match data of a RegExp with malloc(), and its collector then moves it as if it
 * were a chunk of the heap: an `else` is missing in fxAllocateRegExpData (xsre.c). This function replaces XS's
 * (--wrap, in the manifest) and copies the data to a chunk. With an engine that allocates a chunk itself, it changes
 * nothing.
 */
#include "xsAll.h"

#include <malloc.h>

extern txInteger *__real_fxAllocateRegExpData(void *the, txInteger *code);

static txBoolean is_chunk(txMachine *the, void *data)
{
	for (txBlock *block = the->firstBlock; block; block = block->nextBlock) {
		if ((txByte *)data > (txByte *)block && (txByte *)data < block->limit)
			return 1;
	}
	return 0;
}

txInteger *__wrap_fxAllocateRegExpData(void *the, txInteger *code)
{
	txInteger *data = __real_fxAllocateRegExpData(the, code);
	if (!the || is_chunk(the, data))
		return data;
	size_t size = malloc_usable_size(data);
	txInteger *chunk = fxNewChunk(the, (txSize)size);
	c_memcpy(chunk, data, size);
	c_free(data);
	return chunk;
}
