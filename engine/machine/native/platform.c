/* XS's host functions: abort, memory, promise jobs, and modules by name. Includes XS's own headers. */
#include "xsAll.h"

#include "arena.h"
#include "boot.h"

/*
 * The stack of an exception, in names of functions; its text if it is not an Error. Runs script, which needs a frame; the
 * frame is never ended, since the machine is not entered again.
 */
static void describe_exception(txMachine *the, char *text, size_t size)
{
	mxTry(the) {
		fxBeginHost(the);
		mxPush(mxException);
		if (the->stack->kind == XS_REFERENCE_KIND)
			mxGetID(mxID(_stack));
		if (the->stack->kind == XS_UNDEFINED_KIND)
			*the->stack = mxException;
		fxToStringBuffer(the, the->stack, text, (txSize)size);
	}
	mxCatch(the) {
		snprintf(text, size, "an exception that has no text");
	}
}

/* An aborted machine cannot be unwound: its owner is notified and deletes it. */
void fxAbort(txMachine *the, int status)
{
	static const char *const reasons[] = {
		[XS_NOT_ENOUGH_MEMORY_EXIT] = "memory full",
		[XS_STACK_OVERFLOW_EXIT] = "stack overflow",
		[XS_NO_MORE_KEYS_EXIT] = "not enough keys",
		[XS_UNHANDLED_EXCEPTION_EXIT] = "unhandled exception",
		[XS_UNHANDLED_REJECTION_EXIT] = "unhandled rejection",
	};
	const int count = sizeof(reasons) / sizeof(*reasons);
	const char *reason = status >= 0 && status < count && reasons[status] ? reasons[status] : "aborted";
	char detail[1024] = "";
	if (status == XS_NOT_ENOUGH_MEMORY_EXIT && the->arena)
		fprintf(stderr, "console: the heap has %ld of %ld bytes of slots in use, %ld of %ld of chunks, and %zu in neither\n",
			(long)(the->currentHeapCount * sizeof(txSlot)), (long)(the->maximumHeapCount * sizeof(txSlot)),
			(long)the->currentChunksSize, (long)the->maximumChunksSize, arena_gap(the->arena));
	if (status == XS_UNHANDLED_EXCEPTION_EXIT || status == XS_UNHANDLED_REJECTION_EXIT)
		describe_exception(the, detail, sizeof(detail));
	boot_abort(reason, detail);
}

void fxCreateMachinePlatform(txMachine *the)
{
	the->arena = arena_of_next_machine();
}

void fxDeleteMachinePlatform(txMachine *the)
{
	(void)the;
}

void *fxAllocateChunks(txMachine *the, txSize size)
{
	return the->arena ? arena_allocate_low(the->arena, size) : c_malloc(size);
}

void fxFreeChunks(txMachine *the, void *chunks)
{
	if (!the->arena)
		c_free(chunks);
}

/*
 * Uses the free end of the chunks for slots.
 * @returns NULL if it is too small
 */
static void *take_from_chunks(txMachine *the, size_t size)
{
	txBlock *block = the->firstBlock;
	if (!block || !arena_ends_at(the->arena, block->limit))
		return C_NULL;
	size_t wanted = size - arena_gap(the->arena);
	if ((size_t)(block->limit - block->current) < wanted)
		return C_NULL;
	block->limit -= wanted;
	the->maximumChunksSize -= wanted;
	arena_return_low(the->arena, wanted);
	return arena_allocate_high(the->arena, size);
}

/*
 * Slots come from the top of the arena, then from the free end of the chunks. If both are exhausted, -1 makes XS use
 * the slots that the collector has just freed.
 */
txSlot *fxAllocateSlots(txMachine *the, txSize count)
{
	size_t size = (size_t)count * sizeof(txSlot);
	if (!the->arena)
		return c_malloc(size);
	void *result = arena_allocate_high(the->arena, size);
	if (!result)
		result = take_from_chunks(the, size);
	if (!result && the->firstBlock) {
		fxCollect(the, XS_COMPACT_FLAG | XS_ORGANIC_FLAG);
		result = take_from_chunks(the, size);
	}
	if (!result && the->freeHeap)
		return (txSlot *)-1;
	return result;
}

void fxFreeSlots(txMachine *the, void *slots)
{
	if (!the->arena)
		c_free(slots);
}

void fxQueuePromiseJobs(txMachine *the)
{
	the->promiseJobs = true;
}

/* Modules have no paths: a specifier is in the table or invalid. */
txID fxFindModule(txMachine *the, txSlot *realm, txID moduleID, txSlot *slot)
{
	char name[C_PATH_MAX];
	(void)realm;
	(void)moduleID;
	fxToStringBuffer(the, slot, name, sizeof(name));
	return boot_find_module(name, NULL) ? fxNewNameC(the, name) : XS_NO_ID;
}

void native_construct(txMachine *the, txDestructor destructor)
{
	if (mxIsUndefined(mxTarget))
		mxTypeError("a native class needs new");
	mxPushSlot(mxTarget);
	txSlot *prototype = fxGetPrototypeFromConstructor(the, &mxObjectPrototype);
	txSlot *instance = fxNewHostObject(the, destructor);
	instance->value.instance.prototype = prototype;
	mxPullSlot(mxResult);
	mxPop();
}
