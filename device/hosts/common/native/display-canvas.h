/* The picture of the app in front, for what draws on it (display-drawing.c). */
#ifndef SVC_DISPLAY_CANVAS_H
#define SVC_DISPLAY_CANVAS_H

#include "display.h"
#include "drawing.h"

/*
 * Takes the display's lock and gives the picture that the app draws on, with its clip; display_end() releases it.
 * @returns false, with the lock free, unless the app is in front
 */
bool display_begin(const DisplayClient *client, Canvas *canvas);
void display_end(void);

#endif
