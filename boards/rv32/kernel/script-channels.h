/* The wires of a script by the names that it gives them. */
#ifndef SVC_SCRIPT_CHANNELS_H
#define SVC_SCRIPT_CHANNELS_H

#include "script-reader.h"
#include "wire.h"

typedef struct {
	Text name;
	Wire *wire;				/* NULL: was never opened */
	bool isUsb;
	bool isClosed;			/* by the script; what was said may still be awaited */
} Channel;

/* The channel of that name, which may be a new one. @returns NULL where there are too many */
Channel *script_channel(Text name);

/* Connects, or plugs in; discards the wire's previous state. @returns false where the port has no listener */
bool script_channel_connect(Channel *channel, int port);
void script_channel_plug(Channel *channel);

void script_channel_close(Channel *channel);

#endif
