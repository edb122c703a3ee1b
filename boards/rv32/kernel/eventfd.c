/* Counters that other threads add to and the machine's thread polls (sys/eventfd.h). */
#include <sys/eventfd.h>

#include <errno.h>
#include <poll.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "descriptors.h"

enum { MAXIMUM_COUNTERS = 4 };

typedef struct {
	bool isOpen;
	uint64_t count;
} Counter;

static Counter counters[MAXIMUM_COUNTERS];

/* Returns the count and resets it to 0. */
static ssize_t read_counter(void *object, void *bytes, size_t size)
{
	Counter *counter = object;
	if (size < sizeof(counter->count)) {
		errno = EINVAL;
		return -1;
	}
	if (counter->count == 0) {
		errno = EAGAIN;
		return -1;
	}
	memcpy(bytes, &counter->count, sizeof(counter->count));
	counter->count = 0;
	return sizeof(counter->count);
}

static ssize_t add_to_counter(void *object, const void *bytes, size_t size)
{
	Counter *counter = object;
	uint64_t added;
	if (size < sizeof(added)) {
		errno = EINVAL;
		return -1;
	}
	memcpy(&added, bytes, sizeof(added));
	if (added > UINT64_MAX - 1 - counter->count) {
		errno = EAGAIN;
		return -1;
	}
	counter->count += added;
	return sizeof(added);
}

static short counter_ready(void *object)
{
	Counter *counter = object;
	return POLLOUT | (counter->count > 0 ? POLLIN : 0);
}

static void close_counter(void *object)
{
	((Counter *)object)->isOpen = false;
}

static const DescriptorKind COUNTER = { read_counter, add_to_counter, counter_ready, close_counter };

static Counter *find_closed(void)
{
	for (int index = 0; index < MAXIMUM_COUNTERS; index++) {
		if (!counters[index].isOpen)
			return &counters[index];
	}
	errno = EMFILE;
	return NULL;
}

int eventfd(unsigned int count, int flags)
{
	if ((flags & ~EFD_CLOEXEC) != EFD_NONBLOCK) {
		errno = EINVAL;
		return -1;
	}
	Counter *counter = find_closed();
	int fd = counter ? descriptor_open(&COUNTER, counter) : -1;
	if (fd >= 0)
		*counter = (Counter){ .isOpen = true, .count = count };
	return fd;
}
