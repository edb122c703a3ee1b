/*
 * How wasm3 is configured, on every host: included before each of its files, and before ours that use them.
 * The limits of the validator (device/sandbox/validator/limits.ts) are those of these figures.
 */
#ifndef SVC_WASM3_CONFIGURATION_H
#define SVC_WASM3_CONFIGURATION_H

/* Locals and operands of a function. */
#define d_m3MaxFunctionStackHeight 2000

/* Slots that a function may reserve for constants. */
#define d_m3MaxConstantTableSize 120

/*
 * Slots of a function. wasm3 allocates up to this limit, and beyond it, without looking, room for what a call
 * gives back. Each value takes two slots at most, so that with room for the constants and twice for the
 * results of a call, a thousand at most, the limit is never reached.
 */
#define d_m3MaxFunctionSlots (d_m3MaxFunctionStackHeight * 2 + d_m3MaxConstantTableSize + 2 * 2 * 1000 + 80)

/* Its messages would be made with sprintf. */
#define d_m3VerboseErrorMessages 0

#endif
