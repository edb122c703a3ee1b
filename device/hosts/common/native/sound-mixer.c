/*
 * Mixes four voices and the app's own samples. Numbers are whole ones, so that the same tones are the same samples on every
 * host. A voice that sounds at full volume takes a quarter of the range, so that four of them do not go beyond it; with samples
 * beside them, what goes beyond is cut.
 */
#include "sound-mixer.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "sound.h"

enum {
	RAMP_SAMPLES = 64,				/* in which a tone swells and fades: without it, it would begin and end with a click */
	SAMPLES_PER_MS = SOUND_RATE / 1000,
	PEAK = INT16_MAX,
	FRACTION_BITS = 16,				/* of a step, beyond those of a phase */
};

/* A period is 2^32. */
typedef struct {
	uint32_t phase;
	int64_t step, stepChange;		/* of the phase in a sample, with FRACTION_BITS */
	uint32_t played, left;			/* samples */
	int32_t volume;
	int32_t shape;
	uint16_t noise;					/* the state of its generator, never 0 */
} Voice;

static Voice voices[SOUND_VOICES];
static int16_t *queue;				/* of SOUND_QUEUE_SAMPLES; NULL until an app needs it */
static uint32_t queueFirst, queueCount;
static const void *front;
static void (*onBegin)(void);
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

void sound_on_begin(void (*begin)(void))
{
	pthread_mutex_lock(&lock);
	onBegin = begin;
	pthread_mutex_unlock(&lock);
}

bool sound_is_there(void)
{
	return onBegin != NULL;
}

/* With the lock held. */
static void be_silent(void)
{
	memset(voices, 0, sizeof(voices));
	queueCount = 0;
}

void sound_bring_to_front(const void *player)
{
	pthread_mutex_lock(&lock);
	if (player != front) {
		be_silent();
		front = player;
	}
	pthread_mutex_unlock(&lock);
}

void sound_leave(const void *player)
{
	pthread_mutex_lock(&lock);
	if (player == front) {
		be_silent();
		front = NULL;
		free(queue);
		queue = NULL;
	}
	pthread_mutex_unlock(&lock);
}

/* Takes the lock, if the app is heard. */
static bool lock_for(const void *player)
{
	pthread_mutex_lock(&lock);
	if (player == front && onBegin)
		return true;
	pthread_mutex_unlock(&lock);
	return false;
}

static int64_t step_of(int32_t hertz)
{
	return ((int64_t)hertz << (32 + FRACTION_BITS)) / SOUND_RATE;
}

static void begin_tone(Voice *voice, const SoundTone *tone)
{
	const uint32_t samples = (uint32_t)tone->milliseconds * SAMPLES_PER_MS;
	*voice = (Voice){
		.step = step_of(tone->fromHertz),
		.stepChange = (step_of(tone->toHertz) - step_of(tone->fromHertz)) / samples,
		.left = samples,
		.volume = tone->volume,
		.shape = tone->shape,
		.noise = 1,
	};
}

bool sound_tone(const void *player, int index, const SoundTone *tone)
{
	if (!lock_for(player))
		return false;
	Voice *voice = &voices[index];
	if (tone->milliseconds > 0) {
		begin_tone(voice, tone);
		onBegin();
	} else if (voice->left > RAMP_SAMPLES)
		voice->left = RAMP_SAMPLES;
	pthread_mutex_unlock(&lock);
	return true;
}

bool sound_stop(const void *player)
{
	if (!lock_for(player))
		return false;
	be_silent();
	pthread_mutex_unlock(&lock);
	return true;
}

int32_t sound_play(const void *player, const uint8_t *samples, uint32_t count)
{
	if (!lock_for(player))
		return SOUND_BEHIND;
	if (!queue)
		queue = malloc(SOUND_QUEUE_SAMPLES * sizeof(*queue));
	int32_t taken = SOUND_NO_MEMORY;
	if (queue) {
		const uint32_t room = SOUND_QUEUE_SAMPLES - queueCount;
		taken = (int32_t)(count < room ? count : room);
		for (int32_t index = 0; index < taken; index++) {
			const uint16_t sample = (uint16_t)(samples[2 * index] | samples[2 * index + 1] << 8);
			queue[(queueFirst + queueCount++) % SOUND_QUEUE_SAMPLES] = (int16_t)sample;
		}
		if (taken > 0)
			onBegin();
	}
	pthread_mutex_unlock(&lock);
	return taken;
}

/* From -PEAK - 1 to PEAK. */
static int32_t wave(const Voice *voice)
{
	const int32_t position = (int32_t)(voice->phase >> 16);		/* in the period, of 65536 */
	switch (voice->shape) {
	case SOUND_SQUARE:
		return position < 32768 ? PEAK : -PEAK;
	case SOUND_TRIANGLE:
		return position < 32768 ? 2 * position - PEAK : PEAK - 2 * (position - 32768);
	case SOUND_SAWTOOTH:
		return position - 32768;
	default:
		return voice->noise & 1 ? PEAK : -PEAK;
	}
}

/* The next value of a shift register that takes all 65535 states (taps 16, 14, 13 and 11). */
static uint16_t next_noise(uint16_t state)
{
	const uint16_t bit = (state ^ state >> 2 ^ state >> 3 ^ state >> 5) & 1;
	return (uint16_t)(state >> 1 | bit << 15);
}

static int32_t next_of_voice(Voice *voice)
{
	if (voice->left == 0)
		return 0;
	uint32_t ramp = voice->played < voice->left ? voice->played : voice->left;
	if (ramp > RAMP_SAMPLES)
		ramp = RAMP_SAMPLES;
	const int32_t loudest = PEAK / SOUND_VOICES * voice->volume / SOUND_FULL_VOLUME * (int32_t)ramp / RAMP_SAMPLES;
	const int32_t sample = (int32_t)((int64_t)wave(voice) * loudest / PEAK);
	const uint32_t before = voice->phase;
	voice->phase += (uint32_t)(voice->step >> FRACTION_BITS);
	if (voice->phase < before)
		voice->noise = next_noise(voice->noise);
	voice->step += voice->stepChange;
	voice->played++;
	voice->left--;
	return sample;
}

static int32_t next_of_queue(void)
{
	if (queueCount == 0)
		return 0;
	const int32_t sample = queue[queueFirst];
	queueFirst = (queueFirst + 1) % SOUND_QUEUE_SAMPLES;
	queueCount--;
	return sample;
}

/* With the lock held. */
static bool is_silent(void)
{
	bool isSilent = queueCount == 0;
	for (int index = 0; index < SOUND_VOICES; index++)
		isSilent = isSilent && voices[index].left == 0;
	return isSilent;
}

static int16_t cut(int32_t sample)
{
	return (int16_t)(sample > PEAK ? PEAK : sample < INT16_MIN ? INT16_MIN : sample);
}

bool sound_mix(int16_t *into, size_t count)
{
	pthread_mutex_lock(&lock);
	const bool sounds = !is_silent();
	for (size_t position = 0; sounds && position < count; position++) {
		int32_t sum = next_of_queue();
		for (int index = 0; index < SOUND_VOICES; index++)
			sum += next_of_voice(&voices[index]);
		into[position] = cut(sum);
	}
	pthread_mutex_unlock(&lock);
	return sounds;
}
