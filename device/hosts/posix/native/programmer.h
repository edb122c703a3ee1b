/*
 * What a programmer on a cable does before power on: writes an image to slot a and makes it the confirmed one.
 * It is no operation of the console's: it is not counted, and power that is cut is not its own.
 */
#ifndef SVC_PROGRAMMER_H
#define SVC_PROGRAMMER_H

/*
 * Leaves the slots as they are where this very image was flashed last and the confirmed slot is whole. Exits with
 * status 1 where `path` is no image, or cannot be flashed.
 */
void programmer_flash(const char *path);

#endif
