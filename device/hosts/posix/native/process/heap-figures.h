/* Used and free memory of a machine in an arena, in bytes: chunks, slots and stack. */
#ifndef SVC_HEAP_FIGURES_H
#define SVC_HEAP_FIGURES_H

#include <stdbool.h>
#include <stddef.h>

/* Machines are void pointers here: xs.h and xsAll.h cannot be included together, and name them differently. */

typedef struct {
	size_t totalBytes;
	size_t usedBytes;			/* including garbage that is not collected yet; at most totalBytes */
	size_t mostUsedBytes;		/* maximum of usedBytes */
	size_t peakLiveBytes;		/* maximum at the end of a turn in which the collector ran */
	size_t slotBytes, chunkBytes, stackBytes;	/* the parts of usedBytes; all of the stack */
	size_t slotRoomBytes;		/* slots that XS has allocated, in use or free */
	size_t peakNeededBytes;		/* maximum that a collection left; 0 unless watched (simulator/README.md) */
	size_t peakSlotBytes, peakChunkBytes;		/* its parts, beside the stack */
} HeapFigures;

HeapFigures heap_figures(void *machine);

/* Maximum of the stack in use; 0 if unknown. Can scan the stack, so it is not among the figures of each status. */
size_t heap_peak_stack_bytes(void *machine);

/*
 * Whether there is room for this many bytes of a board's (slots of 16 bytes), two thirds of them slots and nine
 * twentieths chunks. Neither can replace the other, so the sum exceeds the total. Collects if that may change the
 * result. `isToStay`: the work lasts for longer than its turn, so chunks must keep what an install needs.
 */
bool heap_has_room(void *machine, size_t byteLength, bool isToStay);

/* Bytes in use, in bytes of a board. `isCollected`: collects garbage first. */
size_t heap_used_bytes(void *machine, bool isCollected);

/* Call it at the end of every turn: the collector does not report its runs, but leaves fewer slots. */
void heap_figures_sample(void *machine);

/* From now on, the figures are those of this new machine. */
void heap_figures_open(void *machine);

/* Resets the peaks, but not mostUsedBytes. */
void heap_figures_forget_peaks(void *machine);

#endif
