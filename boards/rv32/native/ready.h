/* Whether the program has reported that it is ready. */
#ifndef SVC_READY_H
#define SVC_READY_H

#include <stdbool.h>

bool is_ready(void);

#endif
