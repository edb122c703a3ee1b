/*
 * The picture of a console that starts: shown from power on until the first app has drawn. It needs no file, no memory and no
 * engine, so a host can draw it before it does anything else.
 */
#ifndef SVC_BOOT_PICTURE_H
#define SVC_BOOT_PICTURE_H

#include <stdint.h>

/* Draws it on all DISPLAY_PIXELS pixels of a picture (display-memory.h). */
void boot_picture_draw(uint16_t *pixels);

#endif
