/* Sums of XS's own counters (heap-figures.h). Includes XS's own headers. */
#include "xsAll.h"

#include "arena.h"
#include "heap-figures.h"
#include "spare-slots.h"

#include <string.h>

static txSize lastHeapCount;
static size_t mostUsedBytes;
static size_t peakLiveBytes;
static size_t peakNeededBytes, peakSlotBytes, peakChunkBytes;

/* XS counts a buffer that grows in place twice until the next collection: hence the limit. */
static size_t used_bytes(txMachine *the)
{
	size_t stackCount = the->stackTop - the->stackBottom;
	size_t used = (stackCount + the->currentHeapCount) * sizeof(txSlot) + the->currentChunksSize;
	size_t total = arena_byte_length(the->arena);
	return used < total ? used : total;
}

static void note_use(txMachine *the)
{
	size_t used = used_bytes(the);
	if (mostUsedBytes < used)
		mostUsedBytes = used;
}

/*
 * Between two collections use only grows, so the maximum is known by sampling before each collection, when the
 * collector asks host objects what to mark. This host object is not allocated in the machine, so it takes no room
 * there. (XS has its own peaks of slots and of chunks, but those occur at different times.)
 */
static bool hasCollected;

static void note_collection(txMachine *the, void *data, txMarkRoot markRoot)
{
	(void)data;
	(void)markRoot;
	note_use(the);
	hasCollected = true;
}

static txHostHooks lookout = { .marker = note_collection };
static txSlot lookoutSlot;

#ifdef SVC_HEAP_IS_WATCHED
/*
 * With -gxStress XS collects once after that many allocations, to find values that are not rooted. Here it collects
 * repeatedly, to find how much memory is needed.
 */
extern int gxStress;

static void watch(void)
{
	const char *interval = getenv("SVC_SIM_COLLECT_EVERY");
	if (interval && gxStress == 0)
		gxStress = -atoi(interval);
}

/* Replaces fxReport in XS's memory (build.ts), which reports the end of each collection. */
void heap_figures_report(txMachine *the, txString format, ...)
{
	static const char atTheEnd[] = "# Slot collection";
	bool isOurs = gxStress == 0 && getenv("SVC_SIM_COLLECT_EVERY");
	if (!isOurs || !the->arena || strncmp(format, atTheEnd, sizeof(atTheEnd) - 1) != 0)
		return;
	size_t needed = used_bytes(the);
	if (peakNeededBytes < needed) {
		peakNeededBytes = needed;
		peakSlotBytes = the->currentHeapCount * sizeof(txSlot);
		peakChunkBytes = the->currentChunksSize;
	}
	watch();
}
#else
static void watch(void)
{
}
#endif

/* Slots that are pushed onto the stack have another `next`. */
#define UNTOUCHED ((txSlot *)~(uintptr_t)0xA5)

static void paint_stack(txMachine *the)
{
	for (txSlot *slot = the->stackBottom; slot < the->stack; slot++)
		slot->next = UNTOUCHED;
}

/*
 * The part above the longest untouched run: frames have holes, and XS uses the bottom for matching regular expressions
 * and for formatting numbers.
 */
static size_t most_used_stack_bytes(txMachine *the)
{
	txSlot *end = the->stackBottom;
	txSize longest = 0, length = 0;
	for (txSlot *slot = the->stackBottom; slot < the->stack; slot++) {
		length = slot->next == UNTOUCHED ? length + 1 : 0;
		if (longest < length) {
			longest = length;
			end = slot + 1;
		}
	}
	return (the->stackTop - end) * sizeof(txSlot);
}

/* As on the board, whose slots are 16 bytes (machine-life.c). */
#define SCALE (sizeof(txSlot) / 16)

/* Least use since the last collection that was requested here. */
static size_t leastUsedBytes;

/* A collection that can free less than this is not worth its time. */
static const size_t WORTHWHILE_BYTES = 2 * 1024 * SCALE;

/*
 * Work that needs this much memory (an install, firmware, a hub) is rare and always gets a collection: memory that was
 * in use during the last collection, such as that of the previous install, may be garbage by now.
 */
static const size_t LONG_WORK_BYTES = 24 * 1024;

/* Memory that chunks or slots can use. */
static size_t shared_bytes(txMachine *the)
{
	size_t shared = arena_gap(the->arena);
	if (the->currentChunksSize < the->maximumChunksSize)
		shared += the->maximumChunksSize - the->currentChunksSize;
	return shared;
}

/*
 * Limit of slots that live for longer than a turn. It leaves chunks what a console with 23 apps and a hub uses (12
 * KiB), and what an install needs, with the reserve (20 KiB). Without the limit, one slot in use at the lower end
 * would block installs for as long as it lives.
 */
static size_t lasting_slots_limit(txMachine *the)
{
	size_t stackBytes = (the->stackTop - the->stackBottom) * sizeof(txSlot);
	return arena_byte_length(the->arena) / 128 * (128 - 33) - stackBytes;
}

/*
 * Slots can use memory that chunks leave free (platform.c), and chunks can use free memory at the lower end of the
 * slots.
 */
static bool has_room(txMachine *the, size_t byteLength, bool isToStay)
{
	size_t slotBytes = byteLength / 3 * 2;		// an install, measured: 60 % slots, 40 % chunks
	size_t chunkBytes = byteLength / 20 * 9;
	size_t usedSlots = the->currentHeapCount * sizeof(txSlot);
	size_t freeSlots = the->maximumHeapCount * sizeof(txSlot) - usedSlots;
	size_t shared = shared_bytes(the);
	if (isToStay && usedSlots + slotBytes > lasting_slots_limit(the))
		return false;
	if (freeSlots <= slotBytes)
		return shared >= chunkBytes + (slotBytes - freeSlots);
	if (shared >= chunkBytes)
		return true;
	size_t lacking = chunkBytes - shared;
	if (freeSlots - slotBytes < lacking)
		return false;
	spare_slots_return(the, lacking + sizeof(txSlot));
	return shared_bytes(the) >= chunkBytes;
}

bool heap_has_room(void *machine, size_t byteLength, bool isToStay)
{
	txMachine *the = machine;
	size_t used = used_bytes(the);
	if (has_room(the, byteLength * SCALE, isToStay))
		return true;
	if (used < leastUsedBytes)
		leastUsedBytes = used;
	const bool mayFindLittle = used - leastUsedBytes < WORTHWHILE_BYTES && leastUsedBytes > 0;
	if (mayFindLittle && byteLength < LONG_WORK_BYTES)
		return false;
	fxCollect(the, XS_COMPACT_FLAG);
	leastUsedBytes = used_bytes(the);
	return has_room(the, byteLength * SCALE, isToStay);
}

size_t heap_used_bytes(void *machine, bool isCollected)
{
	txMachine *the = machine;
	if (isCollected)
		fxCollect(the, XS_COMPACT_FLAG);
	return used_bytes(the) / SCALE;
}

size_t heap_peak_stack_bytes(void *machine)
{
	return most_used_stack_bytes(machine);
}

HeapFigures heap_figures(void *machine)
{
	txMachine *the = machine;
	note_use(the);
	return (HeapFigures){
		.totalBytes = arena_byte_length(the->arena),
		.usedBytes = used_bytes(the),
		.mostUsedBytes = mostUsedBytes,
		.peakLiveBytes = peakLiveBytes,
		.slotBytes = the->currentHeapCount * sizeof(txSlot),
		.chunkBytes = the->currentChunksSize,
		.slotRoomBytes = the->maximumHeapCount * sizeof(txSlot),
		.stackBytes = (the->stackTop - the->stackBottom) * sizeof(txSlot),
		.peakNeededBytes = peakNeededBytes,
		.peakSlotBytes = peakSlotBytes,
		.peakChunkBytes = peakChunkBytes,
	};
}

/*
 * A turn may take more slots than the limit for lasting ones. Returns them, so that no lasting object is allocated
 * there.
 */
static void return_what_turns_took(txMachine *the)
{
	size_t slotBytes = the->maximumHeapCount * sizeof(txSlot), limit = lasting_slots_limit(the);
	if (slotBytes > limit)
		spare_slots_return(the, slotBytes - limit);
}

void heap_figures_sample(void *machine)
{
	txMachine *the = machine;
	if (the->currentHeapCount < lastHeapCount) {
		size_t live = used_bytes(the);
		if (peakLiveBytes < live)
			peakLiveBytes = live;
	}
	lastHeapCount = the->currentHeapCount;
	if (hasCollected)
		return_what_turns_took(the);
	hasCollected = false;
	watch();
}

void heap_figures_open(void *machine)
{
	hasCollected = false;
	mostUsedBytes = 0;
	leastUsedBytes = 0;
	heap_figures_forget_peaks(machine);
	lookoutSlot = (txSlot){
		.flag = XS_HOST_HOOKS_FLAG,
		.kind = XS_HOST_KIND,
		.value.host = { .data = &lookout, .variant.hooks = &lookout },
	};
	fxRemember(machine, &lookoutSlot);
}

void heap_figures_forget_peaks(void *machine)
{
	lastHeapCount = 0;
	peakLiveBytes = 0;
	peakNeededBytes = peakSlotBytes = peakChunkBytes = 0;
	paint_stack(machine);
}
