/* embedded:storage/files: names and files of the console's file system. Paths are those of storage.h. */
#include "machine.h"
#include "storage-arguments.h"
#include "storage-error.h"
#include "storage.h"

#include <string.h>

void xs_file_destructor(void *data)
{
	storage_close(data);
}

static StorageFile *file_of(xsMachine *the)
{
	return xsmcGetHostDataValidate(xsThis, xs_file_destructor);
}

/* new File(path, isReadable, isWritable, isEmptied) */
void xs_file_constructor(xsMachine *the)
{
	int mode = (xsmcTest(xsArg(1)) ? STORAGE_READ : 0) | (xsmcTest(xsArg(2)) ? STORAGE_WRITE : 0)
		| (xsmcTest(xsArg(3)) ? STORAGE_EMPTY : 0);
	PathArgument path = path_argument(the, xsArg(0));
	StorageFile *file;
	int error = storage_open(STORAGE_FILES, path.text, mode, &file);
	if (error)
		storage_throw(the, "open", path.text, error);
	xsmcSetHostData(xsThis, file);
}

/* file.read(into, position): returns the number of bytes read. */
void xs_file_read(xsMachine *the)
{
	int64_t position = position_argument(the, xsArg(1));
	StorageFile *file = file_of(the);
	void *into;
	xsUnsignedValue length;
	xsmcGetBufferWritable(xsArg(0), &into, &length);
	ssize_t count = storage_read(file, into, length, position);
	if (count < 0)
		storage_throw(the, "read", "file", (int)count);
	xsmcSetInteger(xsResult, (xsIntegerValue)count);
}

/* file.write(bytes, position) */
void xs_file_write(xsMachine *the)
{
	int64_t position = position_argument(the, xsArg(1));
	StorageFile *file = file_of(the);
	void *bytes;
	xsUnsignedValue length;
	xsmcGetBufferReadable(xsArg(0), &bytes, &length);
	int error = storage_write(file, bytes, length, position);
	if (error)
		storage_throw(the, "write", "file", error);
}

/* file.setSize(size) */
void xs_file_set_size(xsMachine *the)
{
	int64_t size = position_argument(the, xsArg(0));
	int error = storage_set_size(file_of(the), size);
	if (error)
		storage_throw(the, "set the size of", "file", error);
}

void xs_file_flush(xsMachine *the)
{
	int error = storage_flush(file_of(the));
	if (error)
		storage_throw(the, "flush", "file", error);
}

void xs_file_size(xsMachine *the)
{
	machine_set_number(the, &xsResult, (xsNumberValue)storage_size(file_of(the)));
}

void xs_file_close(xsMachine *the)
{
	xs_file_destructor(machine_detach(the, xs_file_destructor));
}

/* status(path): the size of a file, -1 for a directory. */
void xs_files_status(xsMachine *the)
{
	PathArgument path = path_argument(the, xsArg(0));
	StorageStatus status;
	int error = storage_status(STORAGE_FILES, path.text, &status);
	if (error)
		storage_throw(the, "look at", path.text, error);
	machine_set_number(the, &xsResult, status.isDirectory ? -1 : (xsNumberValue)status.size);
}

/* delete(path): whether the path existed. */
void xs_files_delete(xsMachine *the)
{
	PathArgument path = path_argument(the, xsArg(0));
	int error = storage_delete(STORAGE_FILES, path.text);
	if (error && error != -ENOENT)
		storage_throw(the, "delete", path.text, error);
	xsmcSetBoolean(xsResult, !error);
}

/* move(from, to) */
void xs_files_move(xsMachine *the)
{
	PathArgument from = path_argument(the, xsArg(0)), to = path_argument(the, xsArg(1));
	int error = storage_rename(STORAGE_FILES, from.text, to.text);
	if (error)
		storage_throw(the, "move", from.text, error);
}

/* createDirectory(path): false if it existed. */
void xs_files_create_directory(xsMachine *the)
{
	PathArgument path = path_argument(the, xsArg(0));
	StorageStatus status;
	int error = storage_make_directory(STORAGE_FILES, path.text);
	bool wasThere = error == -EEXIST && storage_status(STORAGE_FILES, path.text, &status) == 0 && status.isDirectory;
	if (error && !wasThere)
		storage_throw(the, "create directory", path.text, error);
	xsmcSetBoolean(xsResult, !error);
}

/* Limits of a scan: all its names are in the heap together, and a directory may have any number of them. */
enum { NAMES_LIMIT = 256, NAMES_LIMIT_BYTES = 8 * 1024 };

typedef struct {
	xsMachine *the;
	int names;
	size_t bytes;
} Scan;

/* A visitor: adds a name to an array, unless it is full. */
static void add_name(const StoragePath *at, const StorageStatus *status, void *context)
{
	Scan *scan = context;
	xsMachine *the = scan->the;
	size_t length = strlen(at->name);
	(void)status;
	if (scan->names == NAMES_LIMIT || scan->bytes + length > NAMES_LIMIT_BYTES)
		return;
	scan->names++;
	scan->bytes += length;
	xsmcSetString(xsVar(0), (char *)at->name);
	(void)xsCall1(xsResult, xsID("push"), xsVar(0));
}

/* scan(path): an array of names, of the first ones if there are too many. */
void xs_files_scan(xsMachine *the)
{
	PathArgument path = path_argument(the, xsArg(0));
	xsmcVars(1);
	xsmcSetNewArray(xsResult, 0);
	Scan scan = { .the = the };
	int error = storage_list(STORAGE_FILES, path.text, add_name, &scan);
	if (error)
		storage_throw(the, "list", path.text, error);
}

/* The capacity of the file system, as { totalBytes, freeBytes }. */
void xs_storage_capacity(xsMachine *the)
{
	int64_t total, free;
	storage_capacity(&total, &free);
	xsmcVars(1);
	xsmcSetNewObject(xsResult);
	machine_set_number(the, &xsVar(0), (xsNumberValue)total);
	xsmcSet(xsResult, xsID("totalBytes"), xsVar(0));
	machine_set_number(the, &xsVar(0), (xsNumberValue)free);
	xsmcSet(xsResult, xsID("freeBytes"), xsVar(0));
}
