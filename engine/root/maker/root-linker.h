/*
 * Links the root (root.h) as a linker does a program: only what the frozen machine can reach, without gaps, at the
 * addresses of the flash. What ran once while the modules were evaluated, unused names, and the free room of heaps and
 * tables are left out; slots and texts with equal content are one.
 *
 * Slots of the root are never written and, except for objects, have no identity that the program can observe.
 */
#ifndef SVC_ROOT_LINKER_H
#define SVC_ROOT_LINKER_H

#include <stddef.h>
#include <stdint.h>

/* A linked root, ready for the flash: its first word is the address of the machine. */
typedef struct {
	uint8_t *bytes;
	size_t byteLength;
	const uint32_t *references;		/* offsets of words that are addresses of other parts of the flash */
	size_t referenceCount;
	const uint32_t *pointers;		/* offsets of words that are addresses of other parts of the root */
	size_t pointerCount;
} LinkedRoot;

/*
 * Ends the run if the machine holds what cannot be in flash.
 * @param machine txMachine, shared
 * @param address of the first byte, in flash
 */
LinkedRoot root_link(void *machine, uint32_t address);

#endif
