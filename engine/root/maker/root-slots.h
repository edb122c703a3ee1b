/* What slots refer to, by kind, as XS's collector follows it (xsMemory.c). Includes XS's own headers. */
#ifndef SVC_ROOT_SLOTS_H
#define SVC_ROOT_SLOTS_H

#include "xsAll.h"

#include "root-pieces.h"

/* Up to two other slots; `next` is not among them. */
typedef struct {
	int count;
	txSlot **at[2];
} SlotLinks;

/* Ends the run for kinds that change or that only a running machine has. */
SlotLinks slot_links(txSlot *slot);

/* A block of bytes: `at` is NULL if there is none. `byteLength` is without a header. */
typedef struct {
	void **at;
	PieceKind kind;
	size_t byteLength;
} SlotBlock;

SlotBlock slot_block(txMachine *the, txSlot *slot);

/* Clears what this kind of slot does not use. */
void slot_clear_unused(txSlot *slot);

#endif
