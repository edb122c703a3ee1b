/* Opening and closing of a port without DTR (uart-opener.h). */
#include "uart-opener.h"

static bool close_port(UartOpener *opener)
{
	const bool wasOpen = opener->isOpen;
	opener->isOpen = opener->isWithinLine = false;
	return wasOpen;
}

bool uart_opener_arrived(UartOpener *opener, double nowMs)
{
	const bool wasOpen = opener->isOpen;
	opener->isOpen = true;
	if (!wasOpen)
		opener->receivedAtMs = nowMs;
	return !wasOpen;
}

void uart_opener_read(UartOpener *opener, const uint8_t *bytes, size_t length, double nowMs)
{
	if (length == 0)
		return;
	opener->isWithinLine = bytes[length - 1] != '\n';
	opener->receivedAtMs = nowMs;
}

bool uart_opener_break(UartOpener *opener)
{
	return close_port(opener);
}

bool uart_opener_expired(UartOpener *opener, double nowMs)
{
	const bool isLate = opener->isWithinLine && nowMs - opener->receivedAtMs >= HALF_LINE_LIMIT_MS;
	return isLate && close_port(opener);
}
