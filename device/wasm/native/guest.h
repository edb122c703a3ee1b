/*
 * A guest: one run of an app. Two threads know it: that of the management machine, which made it and closes
 * it, and the app's own, which runs wasm3.
 *
 *     VM      load … start ............ takeLog, request, answer ............ stop, close
 *     app                parse, link, run: log(), storage_read() waits, … trap or return
 *
 * What both touch is below `mutex`. The app tells the VM that something has changed by one post to its event
 * loop; there is never more than one on its way, so that no app can fill the loop. A post holds a reference:
 * the record outlives close(), and the machine, until it has come back.
 */
#ifndef SVC_GUEST_H
#define SVC_GUEST_H

#include <pthread.h>

#include "abi.h"
#include "backtrace.h"
#include "display.h"
#include "guest-platform.h"
#include "image-memory.h"

enum {
	GUEST_LOG_LINES = 32,
	GUEST_LOG_BYTES = 256,			/* of a line; what is longer is cut */
	GUEST_NAME_BYTES = 64,			/* of a function in the stack of a trap */
	GUEST_MESSAGE_BYTES = 128,
	GUEST_SYSTEM_CAPABILITY = 1 << 30,	/* of the home screen (protocol/capabilities.ts) */
};

typedef struct {
	uint8_t level;
	uint16_t byteLength;
	uint32_t lost;					/* lines dropped before this one */
	char text[GUEST_LOG_BYTES];
} GuestLogLine;

typedef struct {
	const char *reason;				/* NULL: it has not ended */
	bool hasCode;
	int32_t code;
	char message[GUEST_MESSAGE_BYTES];
	uint32_t frameCount;
	char frames[BACKTRACE_FRAMES][GUEST_NAME_BYTES];
	uint32_t offsets[BACKTRACE_FRAMES];	/* of the frames' instructions in the module; 0: unknown */
} GuestExit;

struct Guest {
	Backtrace backtrace;			/* first: wasm3-interpreter.c finds it here */

	/* Set by the constructor. */
	char name[16];
	char entry[64];					/* set by start() */
	uint32_t capabilities;
	uint64_t memoryQuotaBytes;
	uint32_t stackBytes;
	uint32_t nestedBlocks;			/* most within each other */
	uint32_t scriptOffset;
	uint32_t scriptByteLength;
	bool hasScript;
	bool hasImage;
	NativeLayout image;
	CodeMemory code;				/* of the image, until it has run */

	/* The module, or the native image and the script: the VM's until start(), the app's from then on. */
	uint8_t *module;
	uint32_t moduleByteLength;
	uint32_t loadedByteLength;

	/* The VM's alone. */
	xsMachine *the;
	xsSlot self, onRequest, onLog, onExit;
	pthread_t thread;
	bool hasThread;
	bool isExitTold;

	DisplayClient display;

	pthread_mutex_t mutex;
	pthread_cond_t changed;			/* an answer, or the app is to end */

	/* Below `mutex`. */
	unsigned int references;
	bool isWakePosted;
	bool isClosed;
	bool isStopping;
	bool isSuspended;
	struct StackBounds *stackBounds;	/* of the app's thread (interruption.h), NULL where it does not run */
	volatile uintptr_t *imageLimit;	/* of the running image, which reads its own; NULL: none */
	const AbiFunction *requested;	/* what the app waits for */
	AbiCall *call;					/* on the app's stack; NULL: it does not wait */
	uint32_t requestNumber;			/* of the request that waits or came last, from 1 */
	bool isRequestTold;
	GuestLogLine log[GUEST_LOG_LINES];
	uint32_t firstLine, lineCount;
	uint32_t takeableLines;			/* of those, the ones that onLog was called for */
	bool hasTaken;					/* some, since onLog was called */
	GuestExit exit;
};

/* guest-thread.c. What runs on the app's thread, and the stack that it needs. */
void *guest_thread(void *guest);
size_t guest_thread_stack_bytes(const Guest *guest);

/* Makes the app end, whatever it does. With `mutex` held. */
void guest_interrupt(Guest *guest);

/* Has the app wait at its next call or loop, or go on from there. With `mutex` held. */
void guest_suspend(Guest *guest, bool isSuspended);

/*
 * guest-text.c. Copies what is well-formed UTF-8 and replaces what is not; NUL is replaced too, for the machine's
 * strings end there. Nothing is cut within a character. @returns the bytes written
 */
uint32_t guest_copy_text(char *into, uint32_t room, const uint8_t *text, const uint8_t *end);

/* guest-wait.c. Waits that long, or until the app is to end. With `mutex` held, which is free meanwhile. */
void guest_pause(Guest *guest, int32_t milliseconds);

/*
 * guest-events.c. Frees `mutex`, and tells the VM to look. In this order: the VM's thread comes before the app's,
 * on the same core even at once, and would have to wait for a mutex whose holder does not run.
 */
void guest_unlock_and_wake(Guest *guest);

/* Gives a reference back; the last one frees the record. */
void guest_release(Guest *guest);

/*
 * guest-log.c. Takes a line from the app: well-formed UTF-8 without NUL is what is kept. An app that logs faster
 * than the VM takes has to wait a little at each line.
 */
void guest_log_add(Guest *guest, int level, const uint8_t *text, uint32_t byteLength);

/* guest-request.c. Has a service of the console answer, and waits. @returns NULL or a trap */
const char *guest_request(Guest *guest, const AbiFunction *function, AbiCall *call);

/* guest-link.c. Gives every import its function. @returns NULL, or what could not be linked, in `message` */
const char *guest_link(IM3Module module, char message[GUEST_MESSAGE_BYTES]);

#endif
