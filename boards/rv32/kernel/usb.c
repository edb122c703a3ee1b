/* The USB wire behind a descriptor (usb.h). */
#include "usb.h"

#include <errno.h>
#include <poll.h>

#include "descriptors.h"
#include "wire.h"

static ssize_t read_usb(void *object, void *bytes, size_t count)
{
	size_t taken = wire_take(object, bytes, count);
	if (taken > 0 || count == 0)
		return (ssize_t)taken;
	errno = wire_is_plugged(object) ? EAGAIN : EIO;
	return -1;
}

static ssize_t write_usb(void *object, const void *bytes, size_t count)
{
	if (!wire_is_plugged(object)) {
		errno = EIO;
		return -1;
	}
	wire_say(object, bytes, count);
	return (ssize_t)count;
}

static short usb_ready(void *object)
{
	if (!wire_is_plugged(object))
		return POLLPRI;
	return POLLOUT | (wire_untaken(object) > 0 ? POLLIN : 0);
}

/* The cable stays plugged in. */
static void close_usb(void *object)
{
	(void)object;
}

static const DescriptorKind USB = { read_usb, write_usb, usb_ready, close_usb };

int usb_open(void)
{
	return descriptor_open(&USB, wire_of_usb());
}
