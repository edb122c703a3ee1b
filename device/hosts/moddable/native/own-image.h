/* The firmware image of this library (tools/image.ts describes the layout). */
#ifndef SVC_OWN_IMAGE_H
#define SVC_OWN_IMAGE_H

#include "firmware-image.h"

/* The board name in images for this host. */
#define OWN_BOARD "moddable-simulator"

/* Free it with firmware_image_free. */
FirmwareImage own_image(const char *version);

#endif
