/*
 * The two firmware slots: a file each in STORAGE_SLOTS, with the image that was written to it, or empty. The boot
 * record decides which slot boots (boot-record.h), and its seal whether it may (slot-seal.h).
 */
#ifndef SVC_SLOT_H
#define SVC_SLOT_H

typedef enum { SLOT_A, SLOT_B } Slot;

enum { SLOT_CAPACITY_BYTES = 32 * 1024 * 1024 };

Slot slot_other(Slot slot);

/* `a` or `b`; also its path in STORAGE_SLOTS. */
const char *slot_name(Slot slot);

#endif
