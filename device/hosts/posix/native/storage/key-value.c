/*
 * embedded:storage/key-value: one file for each pair, in one directory for each domain. A new value is written to a
 * temporary file, flushed and renamed over the old one, so that a power cut leaves one of the two.
 */
#include <stdio.h>
#include <string.h>

#include "storage-error.h"
#include "storage.h"
#include "utf8.h"

enum {
	MAXIMUM_NAME_BYTES = 15,		/* of a domain path, and of a key: NVS_KEY_NAME_MAX_SIZE - 1 */
	MAXIMUM_VALUE_BYTES = 3999,		/* of a string in NVS, without its NUL */
	/* Every byte may take three; then a slash and ".new", which no name ends in, or NUL. */
	PATH_BYTES = 2 * 3 * MAXIMUM_NAME_BYTES + 1 + 4 + 1,
};

static bool is_plain(char character)
{
	return isalnum((unsigned char)character) || character == '-' || character == '_';
}

/* Appends `name` as a file name: percent-encoded except for letters, digits, - and _. */
static char *append_name(xsMachine *the, char *path, const char *name)
{
	size_t length = strlen(name);
	if (length == 0 || length > MAXIMUM_NAME_BYTES)
		xsRangeError("key and path have 1 to %d characters each", MAXIMUM_NAME_BYTES);
	for (; *name; name++) {
		if (is_plain(*name))
			*path++ = *name;
		else
			path += sprintf(path, "%%%02X", (uint8_t)*name);
	}
	*path = 0;
	return path;
}

/* Paths of a domain and of a value in it. */
typedef struct {
	char domain[PATH_BYTES];
	char value[PATH_BYTES];
	char newValue[PATH_BYTES];
} PairPaths;

/* From the first two arguments, a domain and a key. */
static PairPaths paths_from(xsMachine *the)
{
	PairPaths paths;
	append_name(the, paths.domain, xsmcToString(xsArg(0)));
	char *end = stpcpy(paths.value, paths.domain);
	*end++ = '/';
	append_name(the, end, xsmcToString(xsArg(1)));
	stpcpy(stpcpy(paths.newValue, paths.value), ".new");
	return paths;
}

/* check(name): throws unless it is a valid name of a domain or a key. */
void xs_key_value_check(xsMachine *the)
{
	char path[PATH_BYTES];
	append_name(the, path, xsmcToString(xsArg(0)));
}

/* read(domain, key): the value, or undefined. */
void xs_key_value_read(xsMachine *the)
{
	PairPaths paths = paths_from(the);
	StorageFile *file;
	int error = storage_open(STORAGE_SETTINGS, paths.value, STORAGE_READ, &file);
	if (error == -ENOENT)
		return;
	char value[MAXIMUM_VALUE_BYTES + 1];
	ssize_t length = error ? error : storage_read(file, value, MAXIMUM_VALUE_BYTES, 0);
	if (!error)
		storage_close(file);
	if (length < 0)
		storage_throw(the, "read", paths.value, (int)length);
	value[length] = 0;
	// The engine reads past the end of a text that is not UTF-8: such a value is damaged.
	const uint8_t *bytes = (const uint8_t *)value;
	if (utf8_well_formed_run(bytes, bytes + length) == (size_t)length)
		xsmcSetString(xsResult, value);
}

static int write_new_value(const PairPaths *paths, const char *value, size_t length)
{
	StorageFile *file;
	int error = storage_open(STORAGE_SETTINGS, paths->newValue, STORAGE_WRITE | STORAGE_EMPTY, &file);
	if (error)
		return error;
	error = storage_write(file, value, length, 0);
	if (!error)
		error = storage_flush(file);
	storage_close(file);
	return error;
}

/* write(domain, key, value): the rename makes it the value. */
void xs_key_value_write(xsMachine *the)
{
	if (xsmcTypeOf(xsArg(2)) != xsStringType && xsmcTypeOf(xsArg(2)) != xsStringXType)
		xsTypeError("a value is a string");
	PairPaths paths = paths_from(the);
	const char *value = xsmcToString(xsArg(2));
	size_t length = strlen(value);
	if (length > MAXIMUM_VALUE_BYTES)
		xsRangeError("a value has at most %d bytes", MAXIMUM_VALUE_BYTES);
	int error = storage_make_directory(STORAGE_SETTINGS, paths.domain);
	if (!error || error == -EEXIST)
		error = write_new_value(&paths, value, length);
	if (!error)
		error = storage_rename(STORAGE_SETTINGS, paths.newValue, paths.value);
	if (error)
		storage_throw(the, "write", paths.value, error);
}

/* delete(domain, key): also deletes the temporary file that a power cut may have left. */
void xs_key_value_delete(xsMachine *the)
{
	PairPaths paths = paths_from(the);
	int error = storage_delete(STORAGE_SETTINGS, paths.value);
	if (!error || error == -ENOENT)
		error = storage_delete(STORAGE_SETTINGS, paths.newValue);
	if (error && error != -ENOENT)
		storage_throw(the, "delete", paths.value, error);
}
