/* UTF-8 as RFC 3629 §4 has it. Nothing in here knows an engine or an operating system. */
#ifndef SVC_UTF8_H
#define SVC_UTF8_H

#include <stddef.h>
#include <stdint.h>

/*
 * Looks at what begins at `bytes`, which is before `end`. @returns the length of the well-formed sequence,
 * or minus the length of the part to skip: the longest that begins a sequence, at least 1 (Unicode 15 §3.9).
 */
int utf8_sequence(const uint8_t *bytes, const uint8_t *end);

/* @returns how many bytes from `bytes` on are well-formed sequences other than NUL */
size_t utf8_well_formed_run(const uint8_t *bytes, const uint8_t *end);

#endif
