/* The flash: code runs in place, and nothing writes to it. */
#ifndef SVC_FLASH_H
#define SVC_FLASH_H

/* From now on until power off, any write to the flash ends the run with a message. */
void flash_protect(void);

#endif
