/*
 * Sound as the app ABI makes it: voices that play tones, and samples from the app. Each host has its own behind it; apps call
 * it on their own threads, several at a time. One app at a time is heard, the one in front.
 */
#ifndef SVC_SOUND_H
#define SVC_SOUND_H

#include <stdbool.h>
#include <stdint.h>

enum {
	SOUND_RATE = 16000,				/* samples a second, of one channel */
	SOUND_VOICES = 4,
	SOUND_LOWEST_HERTZ = 20,
	SOUND_HIGHEST_HERTZ = SOUND_RATE / 2,
	SOUND_LONGEST_MS = 60000,
	SOUND_FULL_VOLUME = 100,
	SOUND_QUEUE_SAMPLES = 4096,
};

enum { SOUND_SQUARE, SOUND_TRIANGLE, SOUND_SAWTOOTH, SOUND_NOISE, SOUND_SHAPES };

typedef struct {
	int32_t fromHertz, toHertz;		/* it slides from one to the other */
	int32_t milliseconds;			/* 0: the voice falls silent */
	int32_t volume;					/* 0 to SOUND_FULL_VOLUME */
	int32_t shape;
} SoundTone;

/* Whether the console has a loudspeaker, or something in its place. Without one, the functions below do nothing. */
bool sound_is_there(void);

/* The app that is heard from now on; NULL: none. `player` names an app, until sound_leave(). What sounds ends. */
void sound_bring_to_front(const void *player);

/* The app has ended, and what it plays, too. */
void sound_leave(const void *player);

/*
 * Plays a tone in place of what the voice, 0 to SOUND_VOICES - 1, plays now.
 * @returns whether the app is in front; else nothing has happened
 */
bool sound_tone(const void *player, int voice, const SoundTone *tone);

/*
 * Queues samples, signed, of 16 bits, low byte first; they need no alignment. They play one after the other, beside the voices.
 * @returns how many were taken: as many as there is room for in a queue of SOUND_QUEUE_SAMPLES; SOUND_BEHIND if the app is not
 * in front; SOUND_NO_MEMORY
 */
int32_t sound_play(const void *player, const uint8_t *samples, uint32_t count);

enum { SOUND_BEHIND = -1, SOUND_NO_MEMORY = -2 };

/* Ends everything that the app plays. @returns whether the app is in front */
bool sound_stop(const void *player);

#endif
