/* A WAV file that grows: of one channel, with 16 bits a sample. It can be read, whole, after every call. */
#ifndef SVC_WAV_FILE_H
#define SVC_WAV_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct {
	int descriptor;
	uint32_t sampleCount;
} WavFile;

/* @param isContinued whether what it has stays @returns false if it cannot be made: errno says why */
bool wav_file_open(WavFile *file, const char *path, bool isContinued);

/* @returns false if it cannot be written, or has 4 GB: then it is closed */
bool wav_file_add(WavFile *file, const int16_t *samples, size_t count);

/* Adds samples that are 0. */
bool wav_file_add_silence(WavFile *file, size_t count);

#endif
