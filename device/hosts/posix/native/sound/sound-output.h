/*
 * The loudspeaker of a simulated console: a thread that plays in real time, to a file where the command line names one, and
 * to memory, from which the web console takes what was played last.
 */
#ifndef SVC_SOUND_OUTPUT_H
#define SVC_SOUND_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Samples that are kept: two seconds. */
enum { SOUND_RECENT_SAMPLES = 32768 };

/*
 * Starts it. `file` (NULL: none) is a WAV file, which is made anew unless `isContinued`. Reports what fails on standard error;
 * the console goes on without.
 */
void sound_output_start(const char *file, bool isContinued);

/*
 * Copies what has been played from sample `since` on, of those that are kept, at most SOUND_RECENT_SAMPLES. Samples are counted
 * from 0, and only while something sounds.
 * @param since becomes the number of the first one; a number beyond the last one counts as 0
 * @returns how many
 */
size_t sound_output_recent(uint64_t *since, int16_t *into);

#endif
