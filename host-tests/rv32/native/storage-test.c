/*
 * Does to the console's storage (device/hosts/posix/native/storage/storage.h) what the file `commands` says, and tells what
 * came of each, on a line of its own: "ok", a value, or an error by its name. Open files have numbers, "-" is the empty
 * path.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "storage.h"

enum { MAXIMUM_WORDS = 5, LINE_BYTES = 2048, MAXIMUM_FILES = 10, MAXIMUM_READ_BYTES = 64, MAXIMUM_NAMES = 64 };

static char *words[MAXIMUM_WORDS + 1];		/* of the command; the last is NULL */
static StorageFile *files[MAXIMUM_FILES];

static const char *name_of(int error)
{
	static const struct { int error; const char *name; } errors[] = {
		{ 0, "ok" }, { -ENOENT, "ENOENT" }, { -EEXIST, "EEXIST" }, { -ENOTDIR, "ENOTDIR" }, { -EISDIR, "EISDIR" },
		{ -ENOTEMPTY, "ENOTEMPTY" }, { -EINVAL, "EINVAL" }, { -ENOSPC, "ENOSPC" }, { -EFBIG, "EFBIG" },
		{ -EBADF, "EBADF" }, { -ENAMETOOLONG, "ENAMETOOLONG" }, { -EIO, "EIO" },
	};
	for (size_t index = 0; index < sizeof(errors) / sizeof(*errors); index++) {
		if (errors[index].error == error)
			return errors[index].name;
	}
	return strerror(-error);
}

static void answer(int error)
{
	fprintf(stderr, "%s\n", name_of(error));
}

static void answer_number(int64_t number)
{
	fprintf(stderr, "%ld\n", (long)number);
}

/* The words that every command begins with, behind its name. */
static StorageFile **file(void)
{
	return &files[atoi(words[1])];
}

static StorageVolume volume(void)
{
	if (strcmp(words[1], "files") == 0)
		return STORAGE_FILES;
	return strcmp(words[1], "settings") == 0 ? STORAGE_SETTINGS : STORAGE_SLOTS;
}

static const char *path(int index)
{
	return strcmp(words[index], "-") == 0 ? "" : words[index];
}

/* open NUMBER r|r+|w|w+ VOLUME PATH */
static void open_file(void)
{
	StorageFile **opened = file();
	int mode = strchr(words[2], 'r') ? STORAGE_READ : STORAGE_WRITE | STORAGE_EMPTY;
	if (strchr(words[2], '+'))
		mode |= STORAGE_READ | STORAGE_WRITE;
	words[1] = words[3];
	answer(storage_open(volume(), path(4), mode, opened));
}

static void close_file(void)
{
	storage_close(*file());
	answer(0);
}

/* read NUMBER POSITION LENGTH: the bytes between quotes, zeros as dots. */
static void read_file(void)
{
	char bytes[MAXIMUM_READ_BYTES];
	ssize_t count = storage_read(*file(), bytes, atol(words[3]), atol(words[2]));
	if (count < 0) {
		answer(count);
		return;
	}
	for (ssize_t index = 0; index < count; index++) {
		if (bytes[index] == 0)
			bytes[index] = '.';
	}
	fprintf(stderr, "\"%.*s\"\n", (int)count, bytes);
}

/* write NUMBER POSITION [TEXT] */
static void write_file(void)
{
	const char *text = words[3] ? words[3] : "";
	answer(storage_write(*file(), text, strlen(text), atol(words[2])));
}

/* fill NUMBER POSITION LENGTH: with x. */
static void fill_file(void)
{
	size_t length = atol(words[3]);
	char *bytes = malloc(length);
	memset(bytes, 'x', length);
	answer(storage_write(*file(), bytes, length, atol(words[2])));
	free(bytes);
}

static void resize_file(void)
{
	answer(storage_set_size(*file(), atoll(words[2])));
}

static void tell_size(void)
{
	answer_number(storage_size(*file()));
}

static void flush_file(void)
{
	answer(storage_flush(*file()));
}

static void tell_status(void)
{
	StorageStatus status;
	int error = storage_status(volume(), path(2), &status);
	if (error)
		answer(error);
	else if (status.isDirectory)
		fprintf(stderr, "directory\n");
	else
		answer_number(status.size);
}

static void rename_entry(void)
{
	answer(storage_rename(volume(), path(2), path(3)));
}

static void delete_entry(void)
{
	answer(storage_delete(volume(), path(2)));
}

static void make_directory(void)
{
	answer(storage_make_directory(volume(), path(2)));
}

typedef struct {
	StoragePath found[MAXIMUM_NAMES];
	int count;
} Names;

static void add_name(const StoragePath *at, const StorageStatus *status, void *context)
{
	Names *names = context;
	StoragePath *found = &names->found[names->count++];
	*found = *at;
	if (status->isDirectory)
		strcat(found->name, "/");
}

static int compare_names(const void *one, const void *other)
{
	return strcmp(((const StoragePath *)one)->name, ((const StoragePath *)other)->name);
}

/* list VOLUME PATH: names in order, those of directories with a slash. */
static void list_directory(void)
{
	static Names names;
	names.count = 0;
	int error = storage_list(volume(), path(2), add_name, &names);
	if (error) {
		answer(error);
		return;
	}
	qsort(names.found, names.count, sizeof(*names.found), compare_names);
	fprintf(stderr, "[");
	for (int index = 0; index < names.count; index++)
		fprintf(stderr, "%s%s", index == 0 ? "" : " ", names.found[index].name);
	fprintf(stderr, "]\n");
}

/* free: in blocks. */
static void tell_free(void)
{
	int64_t total, free;
	storage_capacity(&total, &free);
	answer_number(free / STORAGE_BLOCK_BYTES);
}

static const struct { const char *name; void (*run)(void); } commands[] = {
	{ "open", open_file }, { "close", close_file }, { "read", read_file }, { "write", write_file },
	{ "fill", fill_file }, { "resize", resize_file }, { "size", tell_size }, { "flush", flush_file },
	{ "status", tell_status }, { "rename", rename_entry }, { "delete", delete_entry }, { "mkdir", make_directory },
	{ "list", list_directory }, { "free", tell_free },
};

static void run_command(char *line)
{
	char *word = strtok(line, " \n");
	memset(words, 0, sizeof(words));
	for (int count = 0; word && count < MAXIMUM_WORDS; word = strtok(NULL, " \n"))
		words[count++] = word;
	for (size_t index = 0; index < sizeof(commands) / sizeof(*commands); index++) {
		if (strcmp(words[0], commands[index].name) == 0)
			commands[index].run();
	}
}

int main(void)
{
	char line[LINE_BYTES];
	FILE *script = fopen("commands", "r");
	while (script && fgets(line, sizeof(line), script))
		run_command(line);
	return script ? 0 : 1;
}
