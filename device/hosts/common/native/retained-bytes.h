/* The memory of svc/retained-memory, which each host implements. It survives a restart and a crash. */
#ifndef SVC_RETAINED_BYTES_H
#define SVC_RETAINED_BYTES_H

#include <stdint.h>

uint32_t retained_byte_length(void);

/* The same address for the life of the process. */
uint8_t *retained_bytes(void);

#endif
