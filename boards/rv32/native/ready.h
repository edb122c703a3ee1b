/* Whether the program has said that it can be reached. */
#ifndef SVC_READY_H
#define SVC_READY_H

#include <stdbool.h>

bool is_ready(void);

#endif
