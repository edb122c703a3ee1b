/* The functions of the ABI that make sound. They are done on the app's own thread. */
#include "guest.h"
#include "sound.h"

enum { NO_MEMORY = -12, BUSY = -16, NO_HARDWARE = -19, INVALID = -22 };

static bool is_within(int32_t value, int32_t least, int32_t most)
{
	return value >= least && value <= most;
}

static bool is_hertz(int32_t value)
{
	return is_within(value, SOUND_LOWEST_HERTZ, SOUND_HIGHEST_HERTZ);
}

static bool is_tone(const SoundTone *tone)
{
	return is_hertz(tone->fromHertz) && is_hertz(tone->toHertz) && is_within(tone->milliseconds, 0, SOUND_LONGEST_MS)
		&& is_within(tone->volume, 0, SOUND_FULL_VOLUME) && is_within(tone->shape, 0, SOUND_SHAPES - 1);
}

const char *abi_sound_tone(Guest *guest, AbiCall *call)
{
	const int32_t *p = call->parameters;
	const SoundTone tone = {
		.fromHertz = p[1], .toHertz = p[2], .milliseconds = p[3], .volume = p[4], .shape = p[5],
	};
	if (!is_within(p[0], 0, SOUND_VOICES - 1) || !is_tone(&tone))
		call->result = INVALID;
	else if (!sound_is_there())
		call->result = NO_HARDWARE;
	else if (!sound_tone(guest, p[0], &tone))
		call->result = BUSY;
	return NULL;
}

const char *abi_sound_play(Guest *guest, AbiCall *call)
{
	const int32_t taken = sound_play(guest, call->ranges[0].bytes, (uint32_t)call->parameters[1]);
	if (!sound_is_there())
		call->result = NO_HARDWARE;
	else if (taken < 0)
		call->result = taken == SOUND_BEHIND ? BUSY : NO_MEMORY;
	else
		call->result = taken;
	return NULL;
}

const char *abi_sound_stop(Guest *guest, AbiCall *call)
{
	if (!sound_is_there())
		call->result = NO_HARDWARE;
	else if (!sound_stop(guest))
		call->result = BUSY;
	return NULL;
}
