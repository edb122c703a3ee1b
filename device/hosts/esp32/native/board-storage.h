/* The console's file system on a board. */
#ifndef SVC_BOARD_STORAGE_H
#define SVC_BOARD_STORAGE_H

#include <stdbool.h>

/*
 * Mounts the file system; call it before any file is opened.
 * @returns false if it cannot be used; it is not formatted then
 */
bool board_storage_start(void);

#endif
