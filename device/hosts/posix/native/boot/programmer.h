/*
 * What a programmer on a cable does before power on: writes an image to slot a and makes it the confirmed one. It is
 * not an operation of the console: it is not counted, and simulated power cuts do not affect it.
 */
#ifndef SVC_PROGRAMMER_H
#define SVC_PROGRAMMER_H

#include "firmware-image.h"

/*
 * Keeps the slots if the same image was flashed last and the confirmed slot is intact. Exits with status 1 on failure.
 * `name` appears in the messages.
 */
void programmer_flash(const FirmwareImage *image, const char *name);

/* The same with the image in a file; also exits with status 1 if the file holds no image. */
void programmer_flash_file(const char *path);

#endif
