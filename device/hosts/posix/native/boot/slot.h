/*
 * The two places for firmware: a file each in STORAGE_SLOTS, which holds the image that was written to it, or
 * nothing. Which of them boots is the boot record's to say (boot-record.h), and whether one may, its seal's
 * (slot-seal.h).
 */
#ifndef SVC_SLOT_H
#define SVC_SLOT_H

typedef enum { SLOT_A, SLOT_B } Slot;

enum { SLOT_CAPACITY_BYTES = 32 * 1024 * 1024 };

Slot slot_other(Slot slot);

/* `a` or `b`: also its path in STORAGE_SLOTS. */
const char *slot_name(Slot slot);

#endif
