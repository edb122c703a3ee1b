/* Removes properties of built-ins, and the built-ins of the stack that are only reached by a global name (root-strip.h). */
#include "root-strip.h"

#include "root-pieces.h"

/* The texts of the program: any of them may be the name of a property. */
static void mention_texts(txMachine *the, bool *isMentioned)
{
	for (size_t index = 0; index < pieces_count(); index++) {
		const Piece *piece = pieces_at(index);
		if (piece->kind != PIECE_TEXT)
			continue;
		const txID id = fxFindName(the, (txString)piece->from);
		if (id != XS_NO_ID)
			isMentioned[id] = true;
	}
}

static void mention_c_names(txMachine *the, bool *isMentioned)
{
	for (const txID *id = engineNames; *id != XS_NO_ID; id++)
		isMentioned[*id] = true;
	for (const char *const *name = hostNames; *name; name++) {
		const txID id = fxFindName(the, (txString)*name);
		if (id != XS_NO_ID)
			isMentioned[id] = true;
	}
}

static bool is_host_function(const txSlot *instance)
{
	const txSlot *callback = instance ? instance->next : C_NULL;
	return callback && (callback->kind == XS_CALLBACK_KIND || callback->kind == XS_CALLBACK_X_KIND);
}

/* Properties that can be enumerated are the program's. */
static bool is_built_in(const txSlot *property)
{
	if (property->flag & XS_INTERNAL_FLAG || !(property->flag & XS_DONT_ENUM_FLAG))
		return false;
	if (property->kind == XS_ACCESSOR_KIND)
		return is_host_function(property->value.accessor.getter) || is_host_function(property->value.accessor.setter);
	return property->kind == XS_REFERENCE_KIND && is_host_function(property->value.reference);
}

/* Whether a global name or, for C, the stack has the function. */
static bool is_global(txMachine *the, const txSlot *function)
{
	for (const txSlot *property = mxGlobal.value.reference->next; property; property = property->next) {
		if (property->kind == XS_REFERENCE_KIND && property->value.reference == function)
			return true;
	}
	for (const txSlot *slot = the->stack; slot < the->stackTop; slot++) {
		if (slot->kind == XS_REFERENCE_KIND && slot->value.reference == function)
			return true;
	}
	return false;
}

/* Of a prototype whose constructor has no other name: what C makes by a species is then made by its default. */
static bool is_only_constructor(txMachine *the, const txSlot *property)
{
	return property->ID == mxID(_constructor) && !is_global(the, property->value.reference);
}

static void strip_instance(txMachine *the, txSlot *instance, const bool *isMentioned)
{
	for (txSlot **link = &instance->next; *link;) {
		if (is_built_in(*link) && (!isMentioned[(*link)->ID] || is_only_constructor(the, *link)))
			*link = (*link)->next;
		else
			link = &(*link)->next;
	}
}

static void clear(txSlot *slot)
{
	slot->kind = XS_UNDEFINED_KIND;
}

/*
 * A global name keeps its property, without a value: XS caches the property (look_up_globals). C finds the same built-in
 * on the stack.
 */
static void strip_globals(txMachine *the, const bool *isMentioned)
{
	for (txSlot *property = mxGlobal.value.reference->next; property; property = property->next) {
		const txID id = property->ID;
		if (property->flag & XS_INTERNAL_FLAG || isMentioned[id] || property->kind != XS_REFERENCE_KIND)
			continue;
		clear(property);
		if (id >= XS_SYMBOL_ID_COUNT && id < XS_INTRINSICS_COUNT)
			clear(&the->stackTop[-1 - id]);
	}
}

static void strip_instances(txMachine *the, const bool *isMentioned)
{
	for (size_t index = 0; index < pieces_count(); index++) {
		const Piece *piece = pieces_at(index);
		txSlot *slot = (txSlot *)piece->from;
		if (piece->kind == PIECE_SLOT && slot->kind == XS_INSTANCE_KIND && slot != mxGlobal.value.reference)
			strip_instance(the, slot, isMentioned);
	}
}

void root_strip(txMachine *the, bool *isMentioned)
{
	mention_c_names(the, isMentioned);
	mention_texts(the, isMentioned);
	strip_globals(the, isMentioned);
	strip_instances(the, isMentioned);
}
