/* Loads the image of a slot if it may run. The content of the files is not trusted, and neither are its lengths. */
#ifndef SVC_SLOT_LOAD_H
#define SVC_SLOT_LOAD_H

#include "firmware-image.h"
#include "slot-seal.h"
#include "slot.h"

typedef enum {
	SLOT_LOADED,
	SLOT_IS_NOT_WHOLE,		/* no image, or a damaged one */
	SLOT_IS_NOT_VERIFIED,	/* no valid seal, or an invalid signature */
	SLOT_IS_TOO_OLD,		/* its security version is below the minimum */
} SlotVerdict;

typedef struct {
	FirmwareImage image;	/* to be freed with firmware_image_free; empty unless it is loaded */
	SlotSeal seal;
	SlotVerdict verdict;
} LoadedSlot;

/* @param securityVersion the minimum */
LoadedSlot slot_load(Slot slot, uint32_t securityVersion);

/* "is not whole", … */
const char *slot_verdict_text(SlotVerdict verdict);

#endif
