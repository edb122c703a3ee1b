/*
 * XS of the SDK 8.2.3 gives a RegExp memory from malloc() to match with, and then has the collector take it for a
 * chunk of its heap, which it moves: an `else` is missing in fxAllocateRegExpData (xsre.c). The linker calls this
 * in its place (--wrap, in the manifest), which copies that memory to where it was meant to be. An engine that
 * has it there by itself is left alone.
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
