/* UTF-8 (RFC 3629 §4). Depends on neither engine nor operating system. */
#ifndef SVC_UTF8_H
#define SVC_UTF8_H

#include <stddef.h>
#include <stdint.h>

/*
 * Checks the sequence at `bytes`, which is before `end`.
 * @returns the length of a well-formed sequence, or minus the length of the part to skip: the longest prefix of a
 * sequence, at least 1 (Unicode 15 §3.9)
 */
int utf8_sequence(const uint8_t *bytes, const uint8_t *end);

/* @returns the number of bytes from `bytes` on that form well-formed sequences other than NUL */
size_t utf8_well_formed_run(const uint8_t *bytes, const uint8_t *end);

#endif
