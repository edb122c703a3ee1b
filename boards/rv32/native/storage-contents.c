/* Files of the host (storage-contents.h), by semihosting. */
#include "storage-contents.h"

#include <errno.h>
#include <semihost.h>
#include <stdio.h>
#include <string.h>

enum { NAME_BYTES = 32, PIECE_BYTES = 256 };

static const char *name_of(unsigned int number)
{
	static char name[NAME_BYTES];
	snprintf(name, sizeof(name), "storage-%04u.bin", number);
	return name;
}

static int open_as(unsigned int number, int mode)
{
	int handle = sys_semihost_open(name_of(number), mode);
	return handle < 0 ? -EIO : handle;
}

int storage_contents_create(unsigned int number)
{
	return open_as(number, SH_OPEN_W_PLUS_B);
}

int storage_contents_open(unsigned int number)
{
	return open_as(number, SH_OPEN_R_PLUS_B);
}

void storage_contents_close(int handle)
{
	sys_semihost_close(handle);
}

void storage_contents_delete(unsigned int number)
{
	sys_semihost_remove(name_of(number));
}

static int seek(int handle, int64_t position)
{
	return sys_semihost_seek(handle, (uintptr_t)position) == 0 ? 0 : -EIO;
}

int storage_contents_read(int handle, void *into, size_t length, int64_t position)
{
	if (seek(handle, position) != 0)
		return -EIO;
	size_t missing = sys_semihost_read(handle, into, length);
	if (missing > length)
		return -EIO;
	memset((uint8_t *)into + length - missing, 0, missing);
	return 0;
}

int storage_contents_write(int handle, const void *bytes, size_t length, int64_t position)
{
	if (seek(handle, position) != 0)
		return -EIO;
	return sys_semihost_write(handle, bytes, length) == 0 ? 0 : -EIO;
}

int storage_contents_cut(int handle, int64_t position)
{
	static const uint8_t zeros[PIECE_BYTES];
	int error = 0;
	for (int64_t left = (int64_t)sys_semihost_flen(handle) - position; left > 0 && !error; left -= PIECE_BYTES) {
		size_t length = left < PIECE_BYTES ? left : PIECE_BYTES;
		error = storage_contents_write(handle, zeros, length, position);
		position += length;
	}
	return error;
}
