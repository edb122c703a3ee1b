/* Where POSIX has it; ESP-IDF has it below `sys` alone. */
#ifndef SVC_POLL_H
#define SVC_POLL_H

#include <sys/poll.h>

#endif
