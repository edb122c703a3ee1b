/* svc/sound: a copy of what was played last, for the management machine. */
#include <stdlib.h>
#include <string.h>

#include "machine.h"
#include "sound-output.h"
#include "sound.h"

typedef struct {
	uint64_t start;
	size_t count;
	int16_t samples[SOUND_RECENT_SAMPLES];
} PlayedSound;

void xs_played_sound_destructor(void *data)
{
	free(data);
}

/* constructor(since) */
void xs_played_sound_constructor(xsMachine *the)
{
	const xsNumberValue since = xsmcToNumber(xsArg(0));
	if (!(since >= 0 && since <= C_MAX_SAFE_INTEGER))
		xsRangeError("no number of a sample");
	PlayedSound *sound = malloc(sizeof(PlayedSound));
	if (!sound)
		xsUnknownError("no memory");
	sound->start = (uint64_t)since;
	sound->count = sound_output_recent(&sound->start, sound->samples);
	xsmcSetHostData(xsThis, sound);
}

static PlayedSound *get_sound(xsMachine *the)
{
	PlayedSound *sound = xsmcGetHostDataValidate(xsThis, xs_played_sound_destructor);
	if (!sound)
		xsUnknownError("the sound is closed");
	return sound;
}

void xs_played_sound_start(xsMachine *the)
{
	xsmcSetNumber(xsResult, (double)get_sound(the)->start);
}

void xs_played_sound_byte_length(xsMachine *the)
{
	xsmcSetInteger(xsResult, (xsIntegerValue)(get_sound(the)->count * sizeof(int16_t)));
}

void xs_played_sound_rate(xsMachine *the)
{
	xsmcSetInteger(xsResult, SOUND_RATE);
}

/* read(into, offset): @returns the bytes copied */
void xs_played_sound_read(xsMachine *the)
{
	void *into;
	xsUnsignedValue room;
	const xsNumberValue offset = xsmcToNumber(xsArg(1));
	const PlayedSound *sound = get_sound(the);
	const size_t byteLength = sound->count * sizeof(int16_t);
	xsmcGetBufferWritable(xsArg(0), &into, &room);
	if (!(offset >= 0 && offset <= byteLength))
		xsRangeError("no such byte");
	const size_t left = byteLength - (size_t)offset;
	const size_t length = room < left ? room : left;
	memcpy(into, (const uint8_t *)sound->samples + (size_t)offset, length);
	xsmcSetInteger(xsResult, (xsIntegerValue)length);
}

void xs_played_sound_close(xsMachine *the)
{
	xs_played_sound_destructor(machine_detach(the, xs_played_sound_destructor));
}
