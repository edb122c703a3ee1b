/*
 * The app ABI as the engine sees it: one table (abi-table.c, made from device/wasm/abi.ts) that every call of
 * an app goes through. A handler runs on the app's thread, after capability and memory have been checked.
 */
#ifndef SVC_ABI_H
#define SVC_ABI_H

#include <stdbool.h>
#include <stdint.h>

typedef struct Guest Guest;

enum { ABI_PARAMETERS = 10, ABI_RANGES = 2 };

/* A stretch of the app's memory, by the parameters that say where it is. */
typedef struct {
	int8_t pointer;
	int8_t first, second;		/* factors of the length; second: -1 where there is one only */
	uint8_t unitBytes;
	bool isWritten;				/* the call fills it; otherwise the call reads it */
} AbiRange;

typedef struct {
	int32_t parameters[ABI_PARAMETERS];
	struct {
		uint8_t *bytes;			/* in the app's memory; good until the call ends */
		uint32_t byteLength;
	} ranges[ABI_RANGES];
	int64_t result;
} AbiCall;

/* Does the work and sets the result. @returns NULL, or the trap that ends the app */
typedef const char *AbiHandler(Guest *guest, AbiCall *call);

typedef struct {
	const char *name;
	uint32_t capability;		/* the bit that the app must have; 0: none */
	uint8_t parameterCount;		/* each an i32 */
	uint8_t rangeCount;
	bool isWide;				/* the result is an i64 */
	AbiHandler *handler;		/* NULL: a service of the console answers */
	AbiRange ranges[ABI_RANGES];
} AbiFunction;

extern const char abiModule[];
extern const AbiFunction abiFunctions[];
extern const uint32_t abiFunctionCount;

#endif
