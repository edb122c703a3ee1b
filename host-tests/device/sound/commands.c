/*
 * Plays what standard input asks for, in numbers of 32 bits, 8 for each command: 0 a tone (voice, from, to, milliseconds, volume,
 * shape), 1 samples (their number and the first one; each is 77 more), 2 silence, 3 mixing (a number of samples, printed).
 */
#include <stdbool.h>
#include <stdio.h>

#include "sound-mixer.h"
#include "sound.h"

enum { TONE, SAMPLES, STOP, MIX };
enum { NUMBERS = 8, MOST = 4096 };

static const int player;

static void begin(void)
{
}

static void play(int32_t count, int32_t first)
{
	uint8_t bytes[2 * MOST];
	for (int32_t index = 0; index < count && index < MOST; index++) {
		const uint16_t sample = (uint16_t)(first + 77 * index);
		bytes[2 * index] = sample & 0xFF;
		bytes[2 * index + 1] = sample >> 8;
	}
	printf("%d\n", (int)sound_play(&player, bytes, (uint32_t)count));
}

static void mix(int32_t count)
{
	int16_t samples[MOST] = { 0 };
	uint32_t hash = 2166136261u;
	sound_mix(samples, (size_t)count);
	for (int32_t index = 0; index < count; index++)
		hash = (hash ^ (uint16_t)samples[index]) * 16777619u;
	printf("%08x\n", (unsigned int)hash);
}

int main(void)
{
	int32_t p[NUMBERS];
	sound_on_begin(begin);
	sound_bring_to_front(&player);
	while (fread(p, sizeof(p), 1, stdin) == 1) {
		if (p[0] == TONE)
			sound_tone(&player, p[1], &(SoundTone){ p[2], p[3], p[4], p[5], p[6] });
		else if (p[0] == SAMPLES)
			play(p[1], p[2]);
		else if (p[0] == STOP)
			sound_stop(&player);
		else
			mix(p[1]);
	}
	sound_leave(&player);
	return 0;
}
