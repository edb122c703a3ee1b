/* Holds sound.h to what it promises: tones, queued samples, and whose are heard. Prints what does not hold. */
#include <stdlib.h>
#include <string.h>

#include "holds.h"
#include "sound-mixer.h"
#include "sound.h"

enum { SECOND = SOUND_RATE, QUARTER = INT16_MAX / SOUND_VOICES };

static const char player[1], other[1];
static int begunCount;
static int16_t samples[2 * SECOND];

static void begin(void)
{
	begunCount++;
}

/* Plays to the end. @returns how many samples sounded, in pieces of one */
static size_t play_to_end(size_t limit)
{
	size_t count = 0;
	while (count < limit && sound_mix(&samples[count], 1))
		count++;
	return count;
}

static int crossings(size_t from, size_t to)
{
	int count = 0;
	for (size_t index = from + 1; index < to; index++)
		count += samples[index - 1] < 0 && samples[index] >= 0;
	return count;
}

static int peak(size_t from, size_t to)
{
	int most = 0;
	for (size_t index = from; index < to; index++)
		most = abs(samples[index]) > most ? abs(samples[index]) : most;
	return most;
}

static void check_tones(void)
{
	static const int32_t HERTZ[] = { 20, 55, 440, 1000, 3999 };
	for (int shape = SOUND_SQUARE; shape <= SOUND_SAWTOOTH; shape++) {
		for (size_t index = 0; index < sizeof(HERTZ) / sizeof(*HERTZ); index++) {
			const SoundTone tone = { HERTZ[index], HERTZ[index], 1000, 100, shape };
			HOLDS(sound_tone(player, 3, &tone), "a tone");
			HOLDS(play_to_end(2 * SECOND) == SECOND, "%d Hz end after their second", HERTZ[index]);
			HOLDS(abs(crossings(0, SECOND) - HERTZ[index]) <= 1, "%d of %d Hz, shape %d", crossings(0, SECOND), HERTZ[index], shape);
			HOLDS(peak(0, SECOND) <= QUARTER, "a voice has a quarter: %d", peak(0, SECOND));
			HOLDS(HERTZ[index] > 1000 || peak(0, SECOND) > QUARTER * 9 / 10, "full volume: %d", peak(0, SECOND));
		}
	}
	const SoundTone quiet = { 440, 440, 1000, 50, SOUND_SQUARE };
	sound_tone(player, 0, &quiet);
	HOLDS(play_to_end(2 * SECOND) == SECOND && abs(peak(0, SECOND) - QUARTER / 2) <= 1, "half the volume: %d", peak(0, SECOND));
	HOLDS(samples[0] == 0 && peak(0, 8) < QUARTER / 8 && peak(SECOND - 8, SECOND) < QUARTER / 8, "it swells and fades");
	const SoundTone silent = { 440, 440, 1000, 0, SOUND_NOISE };
	sound_tone(player, 0, &silent);
	HOLDS(play_to_end(2 * SECOND) == SECOND && peak(0, SECOND) == 0, "no volume");
}

static void check_slide(void)
{
	const SoundTone up = { 200, 2000, 1000, 100, SOUND_TRIANGLE };
	sound_tone(player, 0, &up);
	HOLDS(play_to_end(2 * SECOND) == SECOND, "a slide ends");
	const int tenths[] = { crossings(0, SECOND / 10), crossings(SECOND / 2, SECOND * 6 / 10), crossings(SECOND * 9 / 10, SECOND) };
	HOLDS(abs(tenths[0] - 29) <= 1 && abs(tenths[1] - 119) <= 1 && abs(tenths[2] - 191) <= 1, "it rises evenly: %d %d %d",
		tenths[0], tenths[1], tenths[2]);
	const SoundTone down = { 8000, 20, 60000, 100, SOUND_SAWTOOTH };
	sound_tone(player, 0, &down);
	size_t count = 0;
	while (sound_mix(samples, SECOND))
		count += SECOND;
	HOLDS(count == 60 * SECOND, "the longest tone has 60 s");
}

static void check_noise(void)
{
	const SoundTone noise = { 8000, 8000, 1000, 100, SOUND_NOISE };
	sound_tone(player, 1, &noise);
	HOLDS(play_to_end(2 * SECOND) == SECOND, "noise ends");
	int64_t sum = 0;
	for (int index = 0; index < SECOND; index++)
		sum += samples[index];
	HOLDS(llabs(sum / SECOND) < QUARTER / 20, "it is as often above 0 as below: %lld", (long long)(sum / SECOND));
	HOLDS(crossings(0, SECOND) > 1000, "it is no tone: %d", crossings(0, SECOND));
}

static void check_voices(void)
{
	const SoundTone tone = { 500, 500, 100, 100, SOUND_SQUARE }, longer = { 500, 500, 200, 100, SOUND_SQUARE };
	for (int voice = 0; voice < SOUND_VOICES; voice++)
		sound_tone(player, voice, &tone);
	HOLDS(play_to_end(2 * SECOND) == SECOND / 10 && peak(0, SECOND / 10) == 4 * QUARTER, "four voices: %d", peak(0, SECOND / 10));
	sound_tone(player, 0, &tone);
	sound_tone(player, 0, &longer);
	HOLDS(play_to_end(2 * SECOND) == SECOND / 5 && peak(0, SECOND / 5) == QUARTER, "a tone takes the place of the one before");
	sound_tone(player, 0, &longer);
	const SoundTone end = { 500, 500, 0, 0, SOUND_SQUARE };
	sound_mix(samples, SECOND / 100);
	sound_tone(player, 0, &end);
	HOLDS(play_to_end(2 * SECOND) == 64, "a voice that is ended fades at once");
	HOLDS(sound_tone(player, 0, &end) && play_to_end(2 * SECOND) == 0, "a voice that is silent stays so");
}

static void check_queue(void)
{
	static uint8_t bytes[2 * SOUND_QUEUE_SAMPLES + 3];
	for (int index = 0; index < SOUND_QUEUE_SAMPLES; index++) {
		bytes[1 + 2 * index] = (uint8_t)(index * 7);
		bytes[2 + 2 * index] = (uint8_t)(index * 7 >> 8);
	}
	HOLDS(sound_play(player, bytes + 1, 0) == 0 && play_to_end(1) == 0, "no samples");
	HOLDS(sound_play(player, bytes + 1, 1000) == 1000, "samples");
	HOLDS(sound_play(player, bytes + 1 + 2000, SOUND_QUEUE_SAMPLES - 1000 + 1) == SOUND_QUEUE_SAMPLES - 1000, "what fits");
	HOLDS(sound_play(player, bytes + 1, 10) == 0, "a full queue");
	HOLDS(play_to_end(2 * SECOND) == SOUND_QUEUE_SAMPLES, "the queue ends");
	int wrong = 0;
	for (int index = 0; index < SOUND_QUEUE_SAMPLES; index++)
		wrong += samples[index] != (int16_t)(index * 7);
	HOLDS(wrong == 0, "%d samples changed on their way", wrong);
	sound_play(player, bytes + 1, 3);
	memset(samples, 1, 20);
	HOLDS(sound_mix(samples, 10) && samples[1] == 7 && samples[3] == 0 && samples[9] == 0 && samples[10] != 0,
		"what follows the end is 0");
	static const uint8_t LOUD[] = { 0xff, 0x7f, 0, 0x80 };
	const SoundTone tone = { 20, 20, 1000, 100, SOUND_SQUARE };
	sound_tone(player, 0, &tone);
	sound_mix(samples, SECOND / 100);
	sound_play(player, LOUD, 2);
	sound_mix(samples, 2);
	HOLDS(samples[0] == INT16_MAX && samples[1] == INT16_MIN + QUARTER, "what goes beyond the range is cut: %d %d", samples[0], samples[1]);
	HOLDS(sound_stop(player) && play_to_end(1) == 0, "everything is ended");
}

static void check_front(void)
{
	static const uint8_t SAMPLES[64];
	const SoundTone tone = { 500, 500, 1000, 100, SOUND_SQUARE };
	HOLDS(!sound_tone(other, 0, &tone) && sound_play(other, SAMPLES, 32) == SOUND_BEHIND && !sound_stop(other), "an app behind");
	sound_tone(player, 0, &tone);
	sound_play(player, SAMPLES, 32);
	sound_bring_to_front(player);
	HOLDS(play_to_end(1) == 1, "the app in front, once more");
	sound_bring_to_front(other);
	HOLDS(play_to_end(1) == 0, "another app comes to the front");
	sound_tone(other, 0, &tone);
	sound_leave(player);
	HOLDS(play_to_end(1) == 1, "an app behind ends");
	sound_leave(other);
	HOLDS(play_to_end(1) == 0 && !sound_tone(other, 0, &tone), "the app in front ends");
	sound_bring_to_front(player);
	HOLDS(sound_play(player, SAMPLES, 32) == 32, "samples after others");
	sound_bring_to_front(NULL);
	HOLDS(play_to_end(1) == 0 && !sound_tone(player, 0, &tone), "no app is in front");
	sound_leave(NULL);
}

int main(void)
{
	const SoundTone tone = { 500, 500, 1000, 100, SOUND_SQUARE };
	sound_bring_to_front(player);
	HOLDS(!sound_is_there() && !sound_tone(player, 0, &tone), "without a loudspeaker");
	sound_on_begin(begin);
	HOLDS(sound_is_there() && begunCount == 0, "with one");
	check_tones();
	HOLDS(begunCount > 0, "the loudspeaker is told");
	check_slide();
	check_noise();
	check_voices();
	check_queue();
	check_front();
	return failures > 0;
}
