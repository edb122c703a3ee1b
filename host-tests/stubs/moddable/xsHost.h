/* Stub, written for tests: what device/hosts/esp32 uses of the Moddable SDK's messages, by its documentation; nothing of it runs. */
#ifndef STUB_XSHOST_H
#define STUB_XSHOST_H

#include <stdint.h>

#include "xsmc.h"

typedef void (*modMessageDeliver)(void *the, void *refcon, uint8_t *message, uint16_t messageLength);

int modMessagePostToMachine(xsMachine *the, uint8_t *message, uint16_t messageLength, modMessageDeliver callback,
	void *refcon);

#endif
