/* 32 random bytes in a separate file (device-secret.h). */
#include "device-secret.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "hmac.h"
#include "options.h"

#define NAME "fuses.bin"

enum { SECRET_BYTES = HMAC_KEY_BYTES };

_Static_assert((int)DEVICE_MAC_BYTES == (int)HMAC_BYTES, "the code is an HMAC");

static uint8_t secret[SECRET_BYTES];
static bool isOpen;

static _Noreturn void fail(const char *verb, const char *reason)
{
	fprintf(stderr, "console: cannot %s \"%s\": %s\n", verb, options_state_path(NAME), reason);
	exit(1);
}

static void make_secret(void)
{
	for (size_t length = 0; length < SECRET_BYTES; ) {
		ssize_t count = getrandom(secret + length, SECRET_BYTES - length, 0);
		if (count < 0 && errno != EINTR)
			fail("make", strerror(errno));
		if (count > 0)
			length += count;
	}
}

/* Atomic. Not an operation of the console's storage: eFuses are burned when a board is made. */
static void keep_secret(void)
{
	char newPath[MAXIMUM_PATH_BYTES];
	snprintf(newPath, sizeof(newPath), "%s", options_state_path(NAME ".new"));
	(void)unlink(newPath);
	int fd = open(newPath, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0400);
	if (fd < 0 || write(fd, secret, SECRET_BYTES) != SECRET_BYTES || fsync(fd) != 0 || close(fd) != 0
			|| rename(newPath, options_state_path(NAME)) != 0)
		fail("write", strerror(errno));
}

void device_secret_open(void)
{
	uint8_t bytes[SECRET_BYTES + 1];
	int fd = open(options_state_path(NAME), O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0 && errno != ENOENT)
		fail("open", strerror(errno));
	if (fd < 0) {
		make_secret();
		keep_secret();
	} else {
		ssize_t length = read(fd, bytes, sizeof(bytes));
		close(fd);
		if (length != SECRET_BYTES)
			fail("use", "it does not have 32 bytes");
		memcpy(secret, bytes, SECRET_BYTES);
	}
	isOpen = true;
}

void device_secret_authenticate(const char *purpose, const void *bytes, size_t length, uint8_t mac[DEVICE_MAC_BYTES])
{
	if (!isOpen)
		abort();
	hmac_sha256(secret, purpose, bytes, length, mac);
}

bool device_secret_holds(const char *purpose, const void *bytes, size_t length, const uint8_t mac[DEVICE_MAC_BYTES])
{
	uint8_t expected[DEVICE_MAC_BYTES];
	device_secret_authenticate(purpose, bytes, length, expected);
	return hmac_is_same(expected, mac);
}
