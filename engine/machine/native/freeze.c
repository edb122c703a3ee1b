/*
 * One pass over the heap before sharing, one after (freeze.h). Works on slots rather than through Object.freeze, since
 * closures and the contents of buffers, maps and sets must be frozen, too. Includes XS's own headers.
 */
#include "xsAll.h"

static void freeze_items(txMachine *the, txSlot *array)
{
	txSlot *item = array->value.array.address;
	for (txIndex count = fxGetIndexSize(the, array); count > 0; count--, item++)
		item->flag |= XS_DONT_SET_FLAG | XS_DONT_DELETE_FLAG;
}

/*
 * A regular expression is not frozen, since matching writes its lastIndex: a run that matches makes its own copy. Its
 * match data is left out, so XS allocates it for each match.
 */
static void freeze_instance(txMachine *the, txSlot *instance)
{
	if (instance->next && instance->next->kind == XS_REGEXP_KIND) {
		instance->next->value.regexp.data = C_NULL;
		return;
	}
	instance->flag |= XS_DONT_PATCH_FLAG;
	for (txSlot *property = instance->next; property; property = property->next) {
		property->flag |= XS_DONT_DELETE_FLAG;
		if (property->kind != XS_ACCESSOR_KIND)
			property->flag |= XS_DONT_SET_FLAG;
		if (property->kind == XS_ARRAY_KIND)
			freeze_items(the, property);
	}
}

static void freeze_slot(txMachine *the, txSlot *slot)
{
	if (slot->kind == XS_INSTANCE_KIND && slot != mxGlobal.value.reference)
		freeze_instance(the, slot);
	else if (slot->kind == XS_CLOSURE_KIND)
		slot->value.closure->flag |= XS_DONT_SET_FLAG;
}

/*
 * A clone copies values that point to chunks of this machine. Its collector would take these chunks for its own, mark
 * and move them; kinds ending in X mark a chunk as foreign.
 */
static void disown_chunk(txSlot *slot)
{
	switch (slot->kind) {
	case XS_STRING_KIND: slot->kind = XS_STRING_X_KIND; break;
	case XS_BIGINT_KIND: slot->kind = XS_BIGINT_X_KIND; break;
	case XS_CODE_KIND: slot->kind = XS_CODE_X_KIND; break;
	case XS_KEY_KIND: slot->kind = XS_KEY_X_KIND; break;
	default: break;
	}
}

static void disown_chunks(txMachine *the, txSlot *slot)
{
	disown_chunk(slot);
	if (slot->kind == XS_ARRAY_KIND) {
		txSlot *item = slot->value.array.address;
		for (txIndex count = fxGetIndexSize(the, slot); count > 0; count--, item++)
			disown_chunk(item);
	}
}

/*
 * For values whose kind cannot mark a foreign chunk (regular expressions), the chunk itself does: it has no address to
 * move to.
 */
static void pin_chunks(txMachine *the)
{
	for (txBlock *block = the->firstBlock; block; block = block->nextBlock) {
		txByte *at = (txByte *)block + sizeof(txBlock);
		while (at < block->current) {
			txChunk *chunk = (txChunk *)at;
			at = chunk->temporary;
			chunk->temporary = C_NULL;
		}
	}
}

static void for_each_slot(txMachine *the, void (*visit)(txMachine *the, txSlot *slot))
{
	for (txSlot *heap = the->firstHeap; heap; heap = heap->next) {
		for (txSlot *slot = heap + 1; slot < heap->value.reference; slot++)
			visit(the, slot);
	}
}

/* XS caches built-ins in the global object, which is read-only after sharing. */
static void look_up_globals(txMachine *the)
{
	for (txID id = XS_SYMBOL_ID_COUNT; id < XS_INTRINSICS_COUNT; id++)
		fxGlobalGetProperty(the, mxGlobal.value.reference, id, 0, XS_ANY);
}

void freeze_machine(txMachine *the)
{
	look_up_globals(the);
	for_each_slot(the, freeze_slot);
	fxShareMachine(the);
	for_each_slot(the, disown_chunks);
	pin_chunks(the);
}
