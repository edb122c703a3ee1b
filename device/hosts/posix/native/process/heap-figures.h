/* What a machine in an arena has taken and has left, in bytes: chunks, slots and stack. */
#ifndef SVC_HEAP_FIGURES_H
#define SVC_HEAP_FIGURES_H

#include <stdbool.h>
#include <stddef.h>

/* Machines are void here: xs.h and xsAll.h cannot be included together, and name them differently. */

typedef struct {
	size_t totalBytes;
	size_t usedBytes;			/* with what the collector has not taken back yet; never more than there is */
	size_t mostUsedBytes;		/* that it ever was */
	size_t peakLiveBytes;		/* highest found at the end of a turn in which the collector ran */
	size_t slotBytes, chunkBytes, stackBytes;	/* what is used is made of; of the stack, all that there is */
	size_t slotRoomBytes;		/* that XS has taken for slots, and keeps: those in use, and those that are free */
	size_t peakStackBytes;		/* of the stack, the most that was in use; 0 where that is not counted */
	size_t peakNeededBytes;		/* highest that a collection left; 0 unless they are watched (simulator/README.md) */
	size_t peakSlotBytes, peakChunkBytes;		/* what that was made of, beside the stack */
} HeapFigures;

HeapFigures heap_figures(void *machine);

/*
 * Whether there is room for so many bytes of a board's (slots of 16 bytes), two thirds of them slots and nine
 * twentieths chunks: one is of no use as the other, and both is more than it comes to. Collects where that may decide
 * it. `isToStay`: the work is not over when its turn is, and leaves chunks what an install takes of them.
 */
bool heap_has_room(void *machine, size_t byteLength, bool isToStay);

/* What is in use, in bytes of a board. `isCollected`: once garbage has been collected. */
size_t heap_used_bytes(void *machine, bool isCollected);

/* Call at the end of every turn: the collector does not report its runs, but leaves fewer slots. */
void heap_figures_sample(void *machine);

/* A new machine, whose figures these are from now on. */
void heap_figures_open(void *machine);

/* Peaks count from now on; what was ever used does not. */
void heap_figures_forget_peaks(void *machine);

#endif
