/*
 * Finds the pieces, merges equal ones, gives each an address, and writes them (root-linker.h). The machine that made the
 * root is left as it is, except for bytes that it does not use. Includes XS's own headers.
 */
#include "xsAll.h"

#include "root-linker.h"

#include "maker.h"
#include "root-code.h"
#include "root-names.h"
#include "root-pieces.h"
#include "root-slots.h"
#include "root-strip.h"

enum { ALIGNMENT = 8, MERGE_TABLE_LENGTH = 1 << 17, REFERENCES_LIMIT = 4096, POINTERS_LIMIT = 1 << 17 };

static bool isMentioned[1 << (8 * sizeof(txID))];

static void mention(txID id)
{
	isMentioned[id] = true;
}

static void add_slot(const txSlot *slot)
{
	if (slot)
		pieces_add(slot, PIECE_SLOT, sizeof(txSlot));
}

/* The hash of an object in a table is its address (fxSumEntry), which changes. */
static void refuse_object_key(const txSlot *slot)
{
	if (slot->kind == XS_ENTRY_KIND && slot->value.entry.slot->kind == XS_REFERENCE_KIND) {
		maker_fail("a Map or Set of a module has an object as a key");
	}
}

/*
 * The variables that a function has kept: found by position. Their names are for a debugger and for errors of variables
 * before their declaration, except those of private fields. No value is such an instance, so that it has no identity.
 */
static void follow_environment(txMachine *the, txSlot *environment)
{
	if (!environment)
		return;
	pieces_find(environment)->isEnvironment = true;
	for (txSlot *variable = environment->next; variable; variable = variable->next) {
		const char *name = variable->kind == XS_CLOSURE_KIND ? fxGetKeyName(the, variable->ID) : C_NULL;
		if (name && *name != '#')
			variable->ID = XS_NO_ID;
	}
}

/* Adds what a slot or an item refers to. */
static void follow(txMachine *the, txSlot *slot)
{
	slot_clear_unused(slot);
	refuse_object_key(slot);
	const SlotLinks links = slot_links(slot);
	for (int index = 0; index < links.count; index++)
		add_slot(*links.at[index]);
	const SlotBlock block = slot_block(the, slot);
	if (block.at)
		pieces_add(*block.at, block.kind, block.byteLength);
	if (slot->kind == XS_CODE_X_KIND && !root_code_use(slot->value.code.address) && !maker_is_linked(slot->value.code.address)) {
		maker_fail("the root refers to code of no module");
	}
	if (slot->kind == XS_CODE_X_KIND)
		follow_environment(the, slot->value.code.closures);
	if (slot->kind == XS_SYMBOL_KIND)
		root_names_use(slot->value.symbol);
	else if (slot->kind == XS_MODULE_KIND || slot->kind == XS_PROGRAM_KIND)
		root_names_use(slot->value.module.id);
}

static void follow_piece(txMachine *the, const Piece *piece)
{
	txSlot *const slot = (txSlot *)piece->from;
	const size_t items = piece->byteLength / sizeof(txSlot);
	switch (piece->kind) {
	case PIECE_SLOT:
		add_slot(slot->next);
		follow(the, slot);
		root_names_use(slot->ID);
		break;
	case PIECE_NAME:
		follow(the, slot);
		break;
	case PIECE_ITEMS:
		for (size_t index = 0; index < items; index++)
			follow(the, slot + index);
		break;
	case PIECE_POINTERS:
		for (size_t index = 0; index < piece->byteLength / sizeof(txSlot *); index++)
			add_slot(((txSlot **)piece->from)[index]);
		break;
	default:
		break;
	}
}

static size_t followed;

/* Follows pieces that were added since the last time. */
static void follow_all(txMachine *the)
{
	while (followed < pieces_count())
		follow_piece(the, pieces_at(followed++));
}

static void find_objects(txMachine *the)
{
	for (txSlot *slot = the->stack; slot < the->stackTop; slot++)
		follow(the, slot);
	follow_all(the);
}

/* What is found first is only used to know the names that the program mentions. */
static void strip(txMachine *the)
{
	find_objects(the);
	root_code_names(mention);
	root_strip(the, isMentioned);
	pieces_clear();
	root_code_forget();
	root_names_forget();
	followed = 0;
}

/* XS's C uses its own names and symbols by number. */
static void find_pieces(txMachine *the)
{
	find_objects(the);
	for (const txID *id = engineNames; *id != XS_NO_ID; id++)
		root_names_use(*id);
	for (txID id = 0; id < XS_ID_COUNT; id++) {
		if (the->keyArray[id] && the->keyArray[id]->kind != XS_KEY_X_KIND)
			root_names_use(id);
	}
	root_code_names(root_names_use);
	for (txID id = 0; id < the->keyIndex; id++) {
		if (root_names_are_used(id) && the->keyArray[id])
			pieces_add(the->keyArray[id], PIECE_NAME, sizeof(txSlot));
	}
	follow_all(the);
}

static const void *same_as(const void *from)
{
	const Piece *piece = from ? pieces_find(from) : NULL;
	return piece ? piece->same->from : from;
}

/* A slot with the pieces that replace those it refers to. */
static txSlot normal(txMachine *the, const txSlot *slot)
{
	txSlot copy = *slot;
	copy.next = (txSlot *)same_as(copy.next);
	const SlotBlock block = slot_block(the, &copy);
	if (block.at)
		*block.at = (void *)same_as(*block.at);
	const SlotLinks links = slot_links(&copy);
	for (int index = 0; index < links.count; index++)
		*links.at[index] = (txSlot *)same_as(*links.at[index]);
	return copy;
}

static uint32_t hash_of(const void *bytes, size_t byteLength)
{
	uint32_t hash = 2166136261u;
	for (size_t index = 0; index < byteLength; index++)
		hash = (hash ^ ((const uint8_t *)bytes)[index]) * 16777619u;
	return hash ^ hash >> 15;
}

/* Objects have identity. */
static bool can_merge(const Piece *piece)
{
	const txSlot *slot = piece->from;
	if (piece->kind == PIECE_TEXT)
		return true;
	return piece->kind == PIECE_SLOT && (slot->kind != XS_INSTANCE_KIND || piece->isEnvironment);
}

static bool are_equal(txMachine *the, const Piece *left, const Piece *right)
{
	if (left->kind != right->kind || left->byteLength != right->byteLength)
		return false;
	if (left->kind == PIECE_TEXT)
		return c_memcmp(left->from, right->from, left->byteLength) == 0;
	const txSlot a = normal(the, left->from), b = normal(the, right->from);
	return c_memcmp(&a, &b, sizeof(txSlot)) == 0;
}

/* Returns the number of merged pieces: slots may become equal when those that they refer to are merged. */
static size_t merge_once(txMachine *the)
{
	static Piece *table[MERGE_TABLE_LENGTH];
	size_t merged = 0;
	c_memset(table, 0, sizeof(table));
	for (size_t index = 0; index < pieces_count(); index++) {
		Piece *piece = pieces_at(index);
		if (piece->same != piece || !can_merge(piece))
			continue;
		txSlot slot;
		const void *bytes = piece->from;
		if (piece->kind == PIECE_SLOT) {
			slot = normal(the, piece->from);
			bytes = &slot;
		}
		size_t at = hash_of(bytes, piece->byteLength) % MERGE_TABLE_LENGTH;
		while (table[at] && !are_equal(the, table[at], piece))
			at = (at + 1) % MERGE_TABLE_LENGTH;
		if (table[at]) {
			piece->same = table[at];
			merged++;
		} else
			table[at] = piece;
	}
	return merged;
}

/* A piece that was merged may be merged again with its replacement. */
static void shorten_merges(void)
{
	for (size_t index = 0; index < pieces_count(); index++) {
		Piece *piece = pieces_at(index);
		while (piece->same != piece->same->same)
			piece->same = piece->same->same;
	}
}

static void merge(txMachine *the)
{
	while (merge_once(the) > 0)
		shorten_merges();
}

/* Where the parts of the root are. */
typedef struct {
	uint32_t machine, stack, keys, names, symbols, code, end;
	txID keyCount;
} Layout;

static uint32_t take(uint32_t *next, size_t byteLength, size_t alignment)
{
	const uint32_t address = (*next + alignment - 1) & ~(alignment - 1);
	*next = address + byteLength;
	return address;
}

/* Slots first, then chunks, then texts: whatever needs no alignment is last. */
static bool is_placed_in(const Piece *piece, int part)
{
	const bool isSlot = piece->kind == PIECE_SLOT || piece->kind == PIECE_NAME;
	return part == 0 ? isSlot : part == 1 ? !isSlot && piece->kind != PIECE_TEXT : piece->kind == PIECE_TEXT;
}

static void place_piece(Piece *piece, uint32_t *next)
{
	if (piece->kind == PIECE_TEXT)
		piece->address = take(next, piece->byteLength, 1);
	else if (piece->kind == PIECE_SLOT || piece->kind == PIECE_NAME)
		piece->address = take(next, piece->byteLength, ALIGNMENT);
	else
		piece->address = take(next, sizeof(txChunk) + piece->byteLength, ALIGNMENT) + sizeof(txChunk);
}

/* Texts in code stay there. */
static bool is_in_code(const Piece *piece)
{
	return piece->kind == PIECE_TEXT && root_code_offset(piece->from) >= 0;
}

static Layout place(const txMachine *the, uint32_t next)
{
	Layout layout;
	layout.machine = take(&next, sizeof(txMachine), ALIGNMENT);
	layout.stack = take(&next, (the->stackTop - the->stack) * sizeof(txSlot), ALIGNMENT);
	layout.keyCount = root_names_number(the);
	layout.keys = take(&next, layout.keyCount * sizeof(txSlot *), ALIGNMENT);
	layout.names = take(&next, the->nameModulo * sizeof(txSlot *), ALIGNMENT);
	layout.symbols = take(&next, the->symbolModulo * sizeof(txSlot *), ALIGNMENT);
	const size_t codeLength = root_code_length();
	for (int part = 0; part < 3; part++) {
		for (size_t index = 0; index < pieces_count(); index++) {
			Piece *piece = pieces_at(index);
			if (piece->same == piece && is_placed_in(piece, part) && !is_in_code(piece))
				place_piece(piece, &next);
		}
	}
	layout.code = take(&next, codeLength, 1);
	layout.end = take(&next, 0, ALIGNMENT);
	return layout;
}

static Layout layout;
static uint8_t *image;
static uint32_t imageAddress;

static uint32_t references[REFERENCES_LIMIT], pointers[POINTERS_LIMIT];
static size_t referenceCount, pointerCount;

static void note(uint32_t *offsets, size_t *count, size_t limit, uint32_t address)
{
	if (*count == limit) {
		maker_fail("the root has too many addresses");
	}
	offsets[(*count)++] = address - imageAddress;
}

/*
 * Notes a word of the image that is an address: of code or a constant of the engine or the hosts, or of another part of
 * the root.
 */
static void refer(uint32_t address, const void *to)
{
	const uintptr_t target = (uintptr_t)to;
	if (maker_is_linked(to))
		note(references, &referenceCount, REFERENCES_LIMIT, address);
	else if (target >= imageAddress && target < layout.end)
		note(pointers, &pointerCount, POINTERS_LIMIT, address);
}

/* The address in flash of something in the machine's memory, or in flash already. */
static void *placed(const void *from)
{
	const Piece *piece = from ? pieces_find(from) : NULL;
	if (piece && piece->same->address)
		return (void *)(uintptr_t)piece->same->address;
	if (!from || maker_is_linked(from))
		return (void *)from;
	const long offset = root_code_offset(piece ? piece->same->from : from);
	if (offset < 0) {
		maker_fail("the root refers to %p, which is not in it", from);
	}
	return (void *)(uintptr_t)(layout.code + offset);
}

static void *image_at(uint32_t address)
{
	return image + (address - imageAddress);
}

static void refer_values(const txSlot *slot, uint32_t address)
{
	const uint32_t first = address + offsetof(txSlot, value);
	switch (slot->kind) {
	case XS_CALLBACK_KIND:
	case XS_CALLBACK_X_KIND:
		refer(first, slot->value.callback.address);
		break;
	case XS_TYPED_ARRAY_KIND:
		refer(first, slot->value.typedArray.dispatch);
		refer(first + sizeof(void *), slot->value.typedArray.atomics);
		break;
	default:
		break;
	}
}

/* The ID of an instance is none of a name. */
static void renumber_names(txSlot *slot)
{
	if (slot->kind != XS_INSTANCE_KIND)
		slot->ID = root_name_number(slot->ID);
	if (slot->kind == XS_SYMBOL_KIND)
		slot->value.symbol = root_name_number(slot->value.symbol);
	else if (slot->kind == XS_MODULE_KIND || slot->kind == XS_PROGRAM_KIND)
		slot->value.module.id = root_name_number(slot->value.module.id);
}

/* Sets a field of a copy of the slot that will be at `address`. */
static void place_field(const txSlot *copy, uint32_t address, void **field, void *value)
{
	*field = value;
	refer(address + ((const uint8_t *)field - (const uint8_t *)copy), value);
}

static void write_slot(txMachine *the, const txSlot *from, uint32_t address, txSlot *next)
{
	txSlot slot = *from;
	renumber_names(&slot);
	const SlotBlock block = slot_block(the, &slot);
	if (block.at)
		place_field(&slot, address, block.at, placed(*block.at));
	const SlotLinks links = slot_links(&slot);
	for (int index = 0; index < links.count; index++)
		place_field(&slot, address, (void **)links.at[index], placed(*links.at[index]));
	if (slot.kind == XS_CODE_X_KIND)
		place_field(&slot, address, (void **)&slot.value.code.address, placed(slot.value.code.address));
	place_field(&slot, address, (void **)&slot.next, next);
	refer_values(&slot, address);
	c_memcpy(image_at(address), &slot, sizeof(slot));
}

static void write_pointer(uint32_t address, void *to)
{
	*(void **)image_at(address) = to;
	refer(address, to);
}

/* The first in a chain of names that is kept. */
static txSlot *next_kept(txSlot *name)
{
	while (name && !pieces_find(name))
		name = name->next;
	return placed(name);
}

static void write_pointers(txSlot **from, size_t count, uint32_t address, txSlot *(*write)(txSlot *slot))
{
	for (size_t index = 0; index < count; index++)
		write_pointer(address + index * sizeof(txSlot *), write(from[index]));
}

static txSlot *placed_slot(txSlot *slot)
{
	return placed(slot);
}

static void write_keys(const txMachine *the, uint32_t address)
{
	for (txID id = 0; id < the->keyIndex; id++) {
		if (pieces_find(the->keyArray[id]))
			write_pointer(address + root_name_number(id) * sizeof(txSlot *), placed(the->keyArray[id]));
	}
}

/* As freezing leaves it (freeze.c): not the collector's. */
static void write_chunk_header(const Piece *piece)
{
	const txChunk header = { .size = sizeof(txChunk) + piece->byteLength };
	c_memcpy(image_at(piece->address - sizeof(header)), &header, sizeof(header));
}

static void write_piece(txMachine *the, const Piece *piece)
{
	txSlot *const slot = (txSlot *)piece->from;
	switch (piece->kind) {
	case PIECE_SLOT:
		write_slot(the, slot, piece->address, placed(slot->next));
		break;
	case PIECE_NAME:
		write_slot(the, slot, piece->address, next_kept(slot->next));
		break;
	case PIECE_ITEMS:
		write_chunk_header(piece);
		for (size_t at = 0; at < piece->byteLength; at += sizeof(txSlot))
			write_slot(the, slot + at / sizeof(txSlot), piece->address + at, slot[at / sizeof(txSlot)].next);
		break;
	case PIECE_POINTERS:
		write_chunk_header(piece);
		write_pointers((txSlot **)slot, piece->byteLength / sizeof(txSlot *), piece->address, placed_slot);
		break;
	case PIECE_BYTES:
		write_chunk_header(piece);
		/* fallthrough */
	case PIECE_TEXT:
		c_memcpy(image_at(piece->address), piece->from, piece->byteLength);
		break;
	}
}

/* What a clone reads of the machine (fxCloneMachine). */
static void write_machine(txMachine *the)
{
	const size_t stackCount = the->stackTop - the->stack;
	for (size_t index = 0; index < stackCount; index++)
		write_slot(the, the->stack + index, layout.stack + index * sizeof(txSlot), C_NULL);
	write_keys(the, layout.keys);
	write_pointers(the->nameTable, the->nameModulo, layout.names, next_kept);
	write_pointers(the->symbolTable, the->symbolModulo, layout.symbols, next_kept);
	txSlot *const stack = (txSlot *)(uintptr_t)layout.stack;
	const txMachine machine = {
		.stack = stack,
		.stackBottom = stack,
		.stackTop = stack + stackCount,
		.stackPrototypes = stack + stackCount,
		.nameModulo = the->nameModulo,
		.nameTable = (txSlot **)(uintptr_t)layout.names,
		.symbolModulo = the->symbolModulo,
		.symbolTable = (txSlot **)(uintptr_t)layout.symbols,
		.keyArray = (txSlot **)(uintptr_t)layout.keys,
		.keyCount = layout.keyCount,
		.keyIndex = layout.keyCount,
		.aliasCount = the->aliasCount,
		.shared = the->shared,
		.profileID = the->profileID,
	};
	c_memcpy(image_at(layout.machine), &machine, sizeof(machine));
	for (size_t at = 0; at < sizeof(machine); at += sizeof(void *))
		refer(layout.machine + at, *(void *const *)((const uint8_t *)&machine + at));
}

LinkedRoot root_link(void *machine, uint32_t address)
{
	txMachine *const the = machine;
	strip(the);
	find_pieces(the);
	merge(the);
	layout = place(the, address + sizeof(txMachine *));
	imageAddress = address;
	image = c_calloc(1, layout.end - address);
	if (!image)
		fxAbort(the, XS_NOT_ENOUGH_MEMORY_EXIT);
	for (size_t index = 0; index < pieces_count(); index++) {
		const Piece *piece = pieces_at(index);
		if (piece->same == piece && piece->address)
			write_piece(the, piece);
	}
	root_code_write(image_at(layout.code), root_name_number);
	write_machine(the);
	write_pointer(address, (void *)(uintptr_t)layout.machine);
	return (LinkedRoot){
		.bytes = image, .byteLength = layout.end - address,
		.references = references, .referenceCount = referenceCount,
		.pointers = pointers, .pointerCount = pointerCount,
	};
}
