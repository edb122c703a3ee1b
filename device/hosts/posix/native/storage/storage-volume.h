/* What operations on files and on names share: the volumes, and the account of their blocks. */
#ifndef SVC_STORAGE_VOLUME_H
#define SVC_STORAGE_VOLUME_H

#include "storage-path.h"
#include "storage.h"

/* The volume's directory, made where it is missing. Without it there is no console: exits with status 1. */
int storage_volume_root(StorageVolume volume);

/*
 * What is neither file nor directory is not there: the console has no links and no devices.
 * @returns 0 or minus an errno
 */
int storage_status_at(const StoragePath *at, StorageStatus *status);

/* Calls back for each file and directory in `directory`, and closes it. @returns 0 or minus an errno */
int storage_visit(int directory, StorageVisitor visit, void *context);

int64_t storage_blocks_for(int64_t size);
int64_t storage_blocks_of(const StorageStatus *status);

/* Whether the volume has room for this many blocks more; may be negative. */
bool storage_has_room(StorageVolume volume, int64_t blocks);
void storage_add_blocks(StorageVolume volume, int64_t blocks);

#endif
