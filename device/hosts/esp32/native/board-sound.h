/* The board's loudspeaker, where it has one (`sound` in the manifest). */
#ifndef SVC_BOARD_SOUND_H
#define SVC_BOARD_SOUND_H

#include <stdbool.h>

/* Called once, at the start. */
void board_sound_start(void);

/* Whether the loudspeaker has taken this pin from the apps. */
bool board_sound_has_pin(int pin);

#endif
