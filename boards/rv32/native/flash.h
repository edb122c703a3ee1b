/* The flash: what is executed where it is, and never written. */
#ifndef SVC_FLASH_H
#define SVC_FLASH_H

/* From here on, until power off, any write to it ends the run with a message. */
void flash_protect(void);

#endif
