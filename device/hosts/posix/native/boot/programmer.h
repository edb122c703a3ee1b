/*
 * What a programmer on a cable does before power on: writes an image to slot a and makes it the confirmed one.
 * It is no operation of the console's: it is not counted, and power that is cut is not its own.
 */
#ifndef SVC_PROGRAMMER_H
#define SVC_PROGRAMMER_H

#include "firmware-image.h"

/*
 * Leaves the slots as they are where this very image was flashed last and the confirmed slot is whole. Exits with
 * status 1 where it cannot be flashed. `name` appears in the messages.
 */
void programmer_flash(const FirmwareImage *image, const char *name);

/* Likewise with the image in a file; exits with status 1 too where it holds none. */
void programmer_flash_file(const char *path);

#endif
