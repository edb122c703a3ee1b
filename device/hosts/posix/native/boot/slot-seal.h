/*
 * Why the boot loader may run what is in a slot: DIR/slots/a.seal and DIR/slots/b.seal, each with a code that only this
 * console can have made (device-secret.h). Firmware that runs has checked who signed a bundle before it has the seal
 * written; the boot loader checks that signature again, over the slot as it is, at every start.
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
	SEAL_SIGNED = 1,		/* a bundle, by the key that is named */
	SEAL_PROGRAMMED,		/* by a programmer on a cable: these very bytes */
	SEAL_ADOPTED,			/* found when this boot loader was new: these very bytes */
	SEAL_KINDS
} SealKind;

typedef struct {
	SealKind kind;
	uint32_t length;						/* bytes of the slot that it is about, from the first on */
	uint32_t securityVersion;				/* of the image */
	uint32_t confirmation;					/* the change of the boot record that confirmed it; 0: none has */
	uint8_t publicKey[PUBLIC_KEY_BYTES];
	uint8_t signature[SIGNATURE_BYTES];		/* of the bundle that the image came in */
	uint8_t digest[SHA256_BYTES];			/* of the bytes, where they are not signed */
} SlotSeal;

/* All of a slot: its image, and the file, which has what follows the image too. */
typedef struct {
	const FirmwareImage *image;
	StorageFile *file;
} SlotBytes;

enum { SLOT_SEAL_BYTES = 184, SLOT_SEAL_NAME_BYTES = 16 };

/* `a.seal`, and `a.seal.new` while it is written: as good as the other one, where its code and its slot hold. */
void slot_seal_name(Slot slot, bool isNew, char name[SLOT_SEAL_NAME_BYTES]);

/* The seal of just these bytes. */
SlotSeal slot_seal_of_bytes(SealKind kind, const FirmwareImage *image);

/* @returns whether there is one that this console has made */
bool slot_seal_load(Slot slot, bool isNew, SlotSeal *seal);

/* In one step. @returns 0 or minus an errno */
int slot_seal_save(Slot slot, const SlotSeal *seal);

/* Notes that this change of the record has confirmed what is in the slot. @returns 0 or minus an errno */
int slot_seal_confirm(Slot slot, uint32_t confirmation);

/* Whether these are the bytes of the seal, which is about all of the image at least. */
bool slot_seal_holds(const SlotSeal *seal, const SlotBytes *slot);

/* Encodes the file format. */
void slot_seal_encode(Slot slot, const SlotSeal *seal, uint8_t bytes[SLOT_SEAL_BYTES]);

#endif
