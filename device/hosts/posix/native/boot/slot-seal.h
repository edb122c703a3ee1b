/*
 * Why the boot loader may run the content of a slot: DIR/slots/a.seal and DIR/slots/b.seal, each with a code that only
 * this console can create (device-secret.h). The running firmware checks the signature of a bundle before it has the
 * seal written; the boot loader checks the signature again, over the slot's content, at every start.
 */
#ifndef SVC_SLOT_SEAL_H
#define SVC_SLOT_SEAL_H

#include <stdbool.h>
#include <stdint.h>

#include "firmware-image.h"
#include "sha256-of.h"
#include "signature-curve.h"
#include "slot.h"
#include "storage.h"

typedef enum {
	SEAL_SIGNED = 1,		/* a bundle, signed by the named key */
	SEAL_PROGRAMMED,		/* written by a programmer on a cable: exactly these bytes */
	SEAL_KINDS
} SealKind;

typedef struct {
	SealKind kind;
	uint32_t length;						/* bytes of the slot that the seal covers, from the first one */
	uint32_t securityVersion;				/* of the image */
	uint32_t confirmation;					/* the change of the boot record that confirmed it; 0: not confirmed */
	uint8_t publicKey[PUBLIC_KEY_BYTES];
	uint8_t signature[SIGNATURE_BYTES];		/* of the bundle that the image came in */
	uint8_t digest[SHA256_BYTES];			/* of the bytes, if they are not signed */
} SlotSeal;

/* The content of a slot: its image, and its file, which also has the bytes after the image. */
typedef struct {
	const FirmwareImage *image;
	StorageFile *file;
} SlotBytes;

enum { SLOT_SEAL_BYTES = 184, SLOT_SEAL_NAME_BYTES = 16 };

/* `a.seal`, or `a.seal.new` while it is written: the new one is valid, too, if its code and slot match. */
void slot_seal_name(Slot slot, bool isNew, char name[SLOT_SEAL_NAME_BYTES]);

/* The seal of a programmer, for exactly these bytes. */
SlotSeal slot_seal_of_bytes(const FirmwareImage *image);

/* @returns whether there is a seal that this console created */
bool slot_seal_load(Slot slot, bool isNew, SlotSeal *seal);

/*
 * Atomic.
 * @returns 0 or minus an errno
 */
int slot_seal_save(Slot slot, const SlotSeal *seal);

/*
 * Notes that this change of the record has confirmed the slot's content.
 * @returns 0 or minus an errno
 */
int slot_seal_confirm(Slot slot, uint32_t confirmation);

/* Whether the seal is valid for these bytes; a valid seal covers at least the image. */
bool slot_seal_holds(const SlotSeal *seal, const SlotBytes *slot);

/* Encodes the file format. */
void slot_seal_encode(Slot slot, const SlotSeal *seal, uint8_t bytes[SLOT_SEAL_BYTES]);

#endif
