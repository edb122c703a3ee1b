/* Two tables in code (root-slots.h). */
#include "root-slots.h"

#include "maker.h"

static SlotLinks links(txSlot **first, txSlot **second)
{
	return (SlotLinks){ (first != C_NULL) + (second != C_NULL), { first, second } };
}

SlotLinks slot_links(txSlot *slot)
{
	txValue *value = &slot->value;
	switch (slot->kind) {
	case XS_REFERENCE_KIND: return links(&value->reference, C_NULL);
	case XS_CLOSURE_KIND: return links(&value->closure, C_NULL);
	case XS_INSTANCE_KIND: return links(&value->instance.prototype, C_NULL);
	case XS_CALLBACK_KIND:
	case XS_CALLBACK_X_KIND: return links(&value->callback.closures, C_NULL);
	case XS_CODE_X_KIND: return links(&value->code.closures, C_NULL);
	case XS_MODULE_KIND:
	case XS_PROGRAM_KIND: return links(&value->module.realm, C_NULL);
	case XS_ENTRY_KIND: return links(&value->entry.slot, C_NULL);
	case XS_HOME_KIND: return links(&value->home.object, &value->home.module);
	case XS_ACCESSOR_KIND: return links(&value->accessor.getter, &value->accessor.setter);
	case XS_EXPORT_KIND: return links(&value->export.closure, &value->export.module);
	case XS_PRIVATE_KIND: return links(&value->private.check, &value->private.first);
	case XS_LIST_KIND: return links(&value->list.first, &value->list.last);
	case XS_UNINITIALIZED_KIND:
	case XS_UNDEFINED_KIND:
	case XS_NULL_KIND:
	case XS_BOOLEAN_KIND:
	case XS_INTEGER_KIND:
	case XS_NUMBER_KIND:
	case XS_STRING_X_KIND:
	case XS_SYMBOL_KIND:
	case XS_ARRAY_KIND:
	case XS_ARRAY_BUFFER_KIND:
	case XS_BUFFER_INFO_KIND:
	case XS_DATE_KIND:
	case XS_DATA_VIEW_KIND:
	case XS_GLOBAL_KIND:
	case XS_KEY_X_KIND:
	case XS_MAP_KIND:
	case XS_REGEXP_KIND:
	case XS_SET_KIND:
	case XS_TYPED_ARRAY_KIND: return links(C_NULL, C_NULL);
	default:
		maker_fail("the flash cannot hold a slot of kind %d", slot->kind);
		return links(C_NULL, C_NULL);
	}
}

/* The chunk's own length, without its header. */
static size_t chunk_length(const void *data)
{
	const txChunk *chunk = (const txChunk *)data - 1;
	return chunk->size - sizeof(txChunk);
}

static SlotBlock chunk(void *at, PieceKind kind)
{
	void **data = at;
	return *data ? (SlotBlock){ data, kind, chunk_length(*data) } : (SlotBlock){ 0 };
}

static SlotBlock text(txString *at)
{
	return *at ? (SlotBlock){ (void **)at, PIECE_TEXT, c_strlen(*at) + 1 } : (SlotBlock){ 0 };
}

SlotBlock slot_block(txMachine *the, txSlot *slot)
{
	txValue *value = &slot->value;
	switch (slot->kind) {
	case XS_STRING_X_KIND: return text(&value->string);
	case XS_KEY_X_KIND: return text(&value->key.string);
	case XS_ARRAY_BUFFER_KIND: return chunk(&value->arrayBuffer.address, PIECE_BYTES);
	case XS_REGEXP_KIND: return chunk(&value->regexp.code, PIECE_BYTES);
	case XS_GLOBAL_KIND:
	case XS_MAP_KIND:
	case XS_SET_KIND: return (SlotBlock){ (void **)&value->table.address, PIECE_POINTERS, value->table.length * sizeof(txSlot *) };
	case XS_ARRAY_KIND:
		if (value->array.address)
			return (SlotBlock){ (void **)&value->array.address, PIECE_ITEMS, fxGetIndexSize(the, slot) * sizeof(txSlot) };
		/* fallthrough */
	default: return (SlotBlock){ 0 };
	}
}

static void clear_from(txSlot *slot, size_t used)
{
	c_memset((txByte *)&slot->value + used, 0, sizeof(slot->value) - used);
}

void slot_clear_unused(txSlot *slot)
{
	switch (slot->kind) {
	case XS_UNINITIALIZED_KIND:
	case XS_UNDEFINED_KIND:
	case XS_NULL_KIND: clear_from(slot, 0); break;
	case XS_BOOLEAN_KIND: clear_from(slot, sizeof(slot->value.boolean)); break;
	case XS_INTEGER_KIND: clear_from(slot, sizeof(slot->value.integer)); break;
	case XS_SYMBOL_KIND: clear_from(slot, sizeof(slot->value.symbol)); break;
	case XS_STRING_X_KIND: clear_from(slot, sizeof(slot->value.string)); break;
	case XS_CLOSURE_KIND:
	case XS_REFERENCE_KIND: clear_from(slot, sizeof(slot->value.reference)); break;
	case XS_INSTANCE_KIND: slot->value.instance.garbage = C_NULL; break;
	case XS_HOME_KIND: slot->ID = XS_NO_ID; break;	/* else a number for the profiler, which is not compiled */
	case XS_CALLBACK_KIND:
	case XS_CALLBACK_X_KIND:
	case XS_CODE_X_KIND: slot->ID = XS_NO_ID; break;	/* else the name of the function, for a stack in text */
	default: break;
	}
}
