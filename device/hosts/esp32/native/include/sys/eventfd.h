/* ESP-IDF's eventfd(), which never blocks and has no other processes to be closed for. */
#ifndef SVC_SYS_EVENTFD_H
#define SVC_SYS_EVENTFD_H

#include "esp_vfs_eventfd.h"

enum { EFD_CLOEXEC = 0, EFD_NONBLOCK = 0 };

#endif
