/* A small table (script-channels.h). Opening a name again connects another wire with the same name. */
#include "script-channels.h"

enum { MAXIMUM_CHANNELS = 32 };

static Channel channels[MAXIMUM_CHANNELS];
static int channelCount;

Channel *script_channel(Text name)
{
	for (int index = 0; index < channelCount; index++) {
		if (text_equals(channels[index].name, name))
			return &channels[index];
	}
	if (channelCount == MAXIMUM_CHANNELS)
		return NULL;
	channels[channelCount] = (Channel){ .name = name };
	return &channels[channelCount++];
}

static void leave(Channel *channel)
{
	if (channel->wire && !channel->isUsb)
		wire_leave(channel->wire);
	*channel = (Channel){ .name = channel->name };
}

bool script_channel_connect(Channel *channel, int port)
{
	leave(channel);
	channel->wire = wire_connect(port);
	return channel->wire;
}

void script_channel_plug(Channel *channel)
{
	leave(channel);
	channel->wire = wire_of_usb();
	channel->isUsb = true;
	wire_plug(channel->wire, true);
}

void script_channel_close(Channel *channel)
{
	channel->isClosed = true;
	if (channel->isUsb)
		wire_plug(channel->wire, false);
	else
		wire_close(channel->wire);
}
