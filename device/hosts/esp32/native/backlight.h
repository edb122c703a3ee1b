/* The light behind the panel. Without a pin for it, the light is always on and nothing here has an effect. */
#ifndef SVC_BACKLIGHT_H
#define SVC_BACKLIGHT_H

/* Connects the pin; it is dark then. */
void backlight_start(void);

/* @param percent 0 (dark) to 100 */
void backlight_set(int percent);

#endif
