/*
 * Layout of DIR/retained.bin, the simulated RTC memory. The boot loader owns the header and notes there how the last
 * process ended; the rest belongs to the program (../../../common/native/retained-bytes.h).
 */
#ifndef SVC_RETAINED_H
#define SVC_RETAINED_H

#include <stdint.h>

#include "crash-row.h"

#define RETAINED_FILE "retained.bin"

enum {
	RETAINED_HEADER_BYTES = 64,
	RETAINED_MEMORY_BYTES = 8192,		/* RTC slow memory of the ESP32-S3 */
	RETAINED_FILE_BYTES = RETAINED_HEADER_BYTES + RETAINED_MEMORY_BYTES,
};

enum {
	RETAINED_RUNNING = 0x4E555253,		/* at a start: the previous process was killed */
	RETAINED_STOPPED = 0x504F5453,
	RETAINED_WATCHDOG = 0x47444157,		/* the watchdog ended the run and the process */
	RETAINED_OUTSIDE_WORK = 0x4B524F57,
};

typedef struct {
	uint32_t state;
	uint32_t work;						/* outside-work.h */
	CrashRow crashes;					/* crash-loop.h */
} RetainedHeader;

/*
 * The whole file, mapped shared and created if missing; the same address for the life of the process. The program's
 * memory begins at RETAINED_HEADER_BYTES.
 */
uint8_t *retained_map(void);

#endif
