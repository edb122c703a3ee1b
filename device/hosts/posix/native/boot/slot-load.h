/* Taking the image out of a slot, if it may run: what is in the files is not trusted, its lengths neither. */
#ifndef SVC_SLOT_LOAD_H
#define SVC_SLOT_LOAD_H

#include "firmware-image.h"
#include "slot-seal.h"
#include "slot.h"

typedef enum {
	SLOT_LOADED,
	SLOT_IS_NOT_WHOLE,		/* no image, or not all of it as it was made */
	SLOT_IS_NOT_VERIFIED,	/* no seal that holds, or a signature that does not */
	SLOT_IS_TOO_OLD,		/* its security version is below the one that is asked for */
} SlotVerdict;

typedef struct {
	FirmwareImage image;	/* to be freed with firmware_image_free; empty unless it is loaded */
	SlotSeal seal;
	SlotVerdict verdict;
} LoadedSlot;

/* @param securityVersion the least that is taken */
LoadedSlot slot_load(Slot slot, uint32_t securityVersion);

/* The image alone, whole, whether or not it may run; empty where there is none. */
FirmwareImage slot_load_image(Slot slot);

/* "is not whole", … */
const char *slot_verdict_text(SlotVerdict verdict);

#endif
