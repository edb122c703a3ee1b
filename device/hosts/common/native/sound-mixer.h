/* What a host's loudspeaker plays, and how it learns that there is something to play. */
#ifndef SVC_SOUND_MIXER_H
#define SVC_SOUND_MIXER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * The next samples. From the thread of the loudspeaker alone.
 * @returns false if nothing sounds, and `into` is as it was; at the end of a sound the rest of `into` is 0
 */
bool sound_mix(int16_t *into, size_t count);

/*
 * Called from any thread whenever something begins to sound, so that sound_mix() returns true. Without waiting for anything
 * that itself waits for sound_mix(). Set once, before the first sound.
 */
void sound_on_begin(void (*begin)(void));

#endif
