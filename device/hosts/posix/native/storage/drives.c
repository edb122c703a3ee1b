/* svc/drives: presence, names and files of drives, over drive.c. The first two arguments are a slot and a path. */
#include <stdlib.h>

#include "drive.h"
#include "machine.h"
#include "storage-arguments.h"
#include "storage-error.h"

static DriveSlot slot_argument(xsMachine *the)
{
	xsIntegerValue slot = xsmcToInteger(xsArg(0));
	if (slot < 0 || slot >= DRIVES)
		xsRangeError("bad drive");
	return (DriveSlot)slot;
}

/* hasSlot(slot) */
void xs_drives_has_slot(xsMachine *the)
{
	xsmcSetBoolean(xsResult, drive_has_slot(slot_argument(the)));
}

/* isPresent(slot) */
void xs_drives_is_present(xsMachine *the)
{
	xsmcSetBoolean(xsResult, drive_is_present(slot_argument(the)));
}

/* status(slot, path): the size of a file, -1 for a directory. */
void xs_drives_status(xsMachine *the)
{
	DriveSlot slot = slot_argument(the);
	PathArgument path = path_argument(the, xsArg(1));
	StorageStatus status;
	int error = drive_status(slot, path.text, &status);
	if (error)
		storage_throw(the, "look at", path.text, error);
	machine_set_number(the, &xsResult, status.isDirectory ? -1 : (xsNumberValue)status.size);
}

/* write(slot, path, bytes, position) */
void xs_drives_write(xsMachine *the)
{
	DriveSlot slot = slot_argument(the);
	PathArgument path = path_argument(the, xsArg(1));
	int64_t position = position_argument(the, xsArg(3));
	void *bytes;
	xsUnsignedValue length;
	xsmcGetBufferReadable(xsArg(2), &bytes, &length);
	int error = drive_write(slot, path.text, bytes, length, position);
	if (error)
		storage_throw(the, "write", path.text, error);
}

/* delete(slot, path): whether the path existed. */
void xs_drives_delete(xsMachine *the)
{
	DriveSlot slot = slot_argument(the);
	PathArgument path = path_argument(the, xsArg(1));
	int error = drive_delete(slot, path.text);
	if (error && error != -ENOENT)
		storage_throw(the, "delete", path.text, error);
	xsmcSetBoolean(xsResult, !error);
}

void xs_drive_file_destructor(void *data)
{
	DriveFile *file = data;
	if (file)
		drive_close(file);
	free(file);
}

static DriveFile *file_of(xsMachine *the)
{
	return xsmcGetHostDataValidate(xsThis, xs_drive_file_destructor);
}

/* new File(slot, path) */
void xs_drive_file_constructor(xsMachine *the)
{
	DriveSlot slot = slot_argument(the);
	PathArgument path = path_argument(the, xsArg(1));
	DriveFile *file = malloc(sizeof(DriveFile));
	int error = file ? drive_open(slot, path.text, file) : -ENOMEM;
	if (error) {
		free(file);
		storage_throw(the, "open", path.text, error);
	}
	xsmcSetHostData(xsThis, file);
}

/* file.read(into, position): returns the number of bytes read. */
void xs_drive_file_read(xsMachine *the)
{
	int64_t position = position_argument(the, xsArg(1));
	DriveFile *file = file_of(the);
	void *into;
	xsUnsignedValue length;
	xsmcGetBufferWritable(xsArg(0), &into, &length);
	ssize_t count = drive_read(file, into, length, position);
	if (count < 0)
		storage_throw(the, "read", "file", (int)count);
	xsmcSetInteger(xsResult, (xsIntegerValue)count);
}

void xs_drive_file_size(xsMachine *the)
{
	int64_t size = drive_size(file_of(the));
	if (size < 0)
		storage_throw(the, "look at", "file", (int)size);
	machine_set_number(the, &xsResult, (xsNumberValue)size);
}

void xs_drive_file_close(xsMachine *the)
{
	xs_drive_file_destructor(machine_detach(the, xs_drive_file_destructor));
}

void xs_drive_scan_destructor(void *data)
{
	DriveScan *scan = data;
	if (scan)
		drive_end_scan(scan);
	free(scan);
}

/* new Scan(slot, path) */
void xs_drive_scan_constructor(xsMachine *the)
{
	DriveSlot slot = slot_argument(the);
	PathArgument path = path_argument(the, xsArg(1));
	DriveScan *scan = malloc(sizeof(DriveScan));
	int error = scan ? drive_scan(slot, path.text, scan) : -ENOMEM;
	if (error) {
		free(scan);
		storage_throw(the, "list", path.text, error);
	}
	xsmcSetHostData(xsThis, scan);
}

/* scan.next(): a name; undefined after the last one, and after close(). */
void xs_drive_scan_next(xsMachine *the)
{
	char name[NAME_MAX + 1];
	if (!xsmcGetHostData(xsThis))
		return;
	int found = drive_next_name(xsmcGetHostDataValidate(xsThis, xs_drive_scan_destructor), name);
	if (found < 0)
		storage_throw(the, "list", "directory", found);
	if (found)
		xsmcSetString(xsResult, name);
}

void xs_drive_scan_close(xsMachine *the)
{
	xs_drive_scan_destructor(machine_detach(the, xs_drive_scan_destructor));
}
