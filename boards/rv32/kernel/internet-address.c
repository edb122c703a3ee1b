/* IPv4 addresses as text (arpa/inet.h): exactly four decimal numbers without leading zeros. */
#include <arpa/inet.h>

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

/*
 * One number from 0 to 255.
 * @returns the text after it, NULL if there is no number
 */
static const char *read_number(const char *text, uint8_t *number)
{
	unsigned int value = 0;
	int digits = 0;
	while (text[digits] >= '0' && text[digits] <= '9' && digits < 3)
		value = 10 * value + (unsigned int)(text[digits++] - '0');
	if (digits == 0 || value > 255 || (digits > 1 && text[0] == '0'))
		return NULL;
	*number = (uint8_t)value;
	return text + digits;
}

int inet_pton(int family, const char *text, void *address)
{
	uint8_t numbers[4];
	if (family != AF_INET) {
		errno = EAFNOSUPPORT;
		return -1;
	}
	for (int index = 0; index < 4; index++) {
		text = read_number(text, &numbers[index]);
		if (!text || *text != (index < 3 ? '.' : '\0'))
			return 0;
		text++;
	}
	memcpy(address, numbers, sizeof(numbers));
	return 1;
}

const char *inet_ntop(int family, const void *address, char *text, socklen_t size)
{
	const uint8_t *numbers = address;
	if (family != AF_INET) {
		errno = EAFNOSUPPORT;
		return NULL;
	}
	int length = snprintf(text, size, "%u.%u.%u.%u", numbers[0], numbers[1], numbers[2], numbers[3]);
	if (length < 0 || (socklen_t)length >= size) {
		errno = ENOSPC;
		return NULL;
	}
	return text;
}
