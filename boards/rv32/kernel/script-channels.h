/* The wires of a script by their names. */
#ifndef SVC_SCRIPT_CHANNELS_H
#define SVC_SCRIPT_CHANNELS_H

#include "script-reader.h"
#include "wire.h"

typedef struct {
	Text name;
	Wire *wire;				/* NULL: never opened */
	bool isUsb;
	bool isClosed;			/* by the script; output may still be awaited */
} Channel;

/*
 * The channel with that name, created if it is new.
 * @returns NULL if there are too many
 */
Channel *script_channel(Text name);

/*
 * Connects, or plugs in; discards the wire's previous state.
 * @returns false if the port has no listener
 */
bool script_channel_connect(Channel *channel, int port);
void script_channel_plug(Channel *channel);

void script_channel_close(Channel *channel);

#endif
