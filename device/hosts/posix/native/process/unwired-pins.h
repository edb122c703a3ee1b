/* The buttons of a board without wired pins: pressed by other means, such as the keys of a window. */
#ifndef SVC_UNWIRED_PINS_H
#define SVC_UNWIRED_PINS_H

#include <stdint.h>

/* The user holds exactly these buttons down, until the next call; across restarts, as fingers do. */
void unwired_pins_press(int32_t buttons);

#endif
