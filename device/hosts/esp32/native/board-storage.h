/* The console's file system on a board. */
#ifndef SVC_BOARD_STORAGE_H
#define SVC_BOARD_STORAGE_H

#include <stdbool.h>

/* Before any file is opened. @returns false where there is none that can be used, which is not made anew for that */
bool board_storage_start(void);

#endif
