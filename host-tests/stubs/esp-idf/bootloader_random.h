/* Stub, written for tests: what device/hosts/esp32 uses of bootloader_support's entropy, by its documentation; nothing of it runs. */
#ifndef STUB_BOOTLOADER_RANDOM_H
#define STUB_BOOTLOADER_RANDOM_H

void bootloader_random_enable(void);
void bootloader_random_disable(void);

#endif
