/* The image of firmware that this library would be (tools/image.ts has the picture). */
#ifndef SVC_OWN_IMAGE_H
#define SVC_OWN_IMAGE_H

#include "firmware-image.h"

/* The board of images that run here. */
#define OWN_BOARD "moddable-simulator"

/* To be freed with firmware_image_free. */
FirmwareImage own_image(const char *version);

#endif
