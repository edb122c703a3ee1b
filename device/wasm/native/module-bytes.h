/*
 * What is looked up in the bytes of a module itself. wasm3 keeps an allocation per name, knows three exports
 * of one function, and reads the name section, which the specification lets hold anything, without checking
 * how long its parts are; so it gets to see neither.
 */
#ifndef SVC_MODULE_BYTES_H
#define SVC_MODULE_BYTES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct {
	const uint8_t *at;
	const uint8_t *end;
} Bytes;

/* Gives name sections another name, so that wasm3 passes over them. */
void module_hide_names(uint8_t *module, uint32_t byteLength);

/* Index of the function that is exported under that name, -1 where there is none. */
int64_t module_find_export(const uint8_t *module, uint32_t byteLength, const void *name, size_t nameLength);

/* The name of a function in a hidden name section, empty where it has none. */
Bytes module_function_name(const uint8_t *module, uint32_t byteLength, uint32_t index);

#endif
