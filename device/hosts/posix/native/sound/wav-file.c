/* The format: RIFF, with a `fmt ` and a `data` chunk (Multimedia Programming Interface and Data Specifications 1.0, 1991). */
#include "wav-file.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "sound.h"

enum { HEADER_BYTES = 44, SAMPLE_BYTES = sizeof(int16_t) };

static void put(uint8_t *at, uint32_t value, int byteLength)
{
	for (int index = 0; index < byteLength; index++)
		at[index] = (uint8_t)(value >> 8 * index);
}

static bool write_header(const WavFile *file)
{
	uint8_t header[HEADER_BYTES] = "RIFF....WAVEfmt ";
	const uint32_t dataBytes = file->sampleCount * SAMPLE_BYTES;
	put(header + 4, HEADER_BYTES - 8 + dataBytes, 4);
	put(header + 16, 16, 4);					/* bytes of the chunk `fmt ` */
	put(header + 20, 1, 2);						/* PCM */
	put(header + 22, 1, 2);						/* channel */
	put(header + 24, SOUND_RATE, 4);
	put(header + 28, SOUND_RATE * SAMPLE_BYTES, 4);
	put(header + 32, SAMPLE_BYTES, 2);
	put(header + 34, 8 * SAMPLE_BYTES, 2);
	memcpy(header + 36, "data", 4);
	put(header + 40, dataBytes, 4);
	return pwrite(file->descriptor, header, HEADER_BYTES, 0) == HEADER_BYTES;
}

bool wav_file_open(WavFile *file, const char *path, bool isContinued)
{
	struct stat status;
	const int flags = O_WRONLY | O_CREAT | O_CLOEXEC | (isContinued ? 0 : O_TRUNC);
	*file = (WavFile){ .descriptor = open(path, flags, 0666) };
	if (file->descriptor < 0 || fstat(file->descriptor, &status) != 0)
		return false;
	if (status.st_size > HEADER_BYTES)
		file->sampleCount = (uint32_t)((status.st_size - HEADER_BYTES) / SAMPLE_BYTES);
	return write_header(file);
}

bool wav_file_add(WavFile *file, const int16_t *samples, size_t count)
{
	const uint64_t at = HEADER_BYTES + (uint64_t)file->sampleCount * SAMPLE_BYTES;
	const size_t byteLength = count * SAMPLE_BYTES;
	const bool fits = at + byteLength <= UINT32_MAX;
	if (fits && pwrite(file->descriptor, samples, byteLength, (off_t)at) == (ssize_t)byteLength) {
		file->sampleCount += (uint32_t)count;
		if (write_header(file))
			return true;
	}
	close(file->descriptor);
	return false;
}

bool wav_file_add_silence(WavFile *file, size_t count)
{
	static const int16_t SILENCE[SOUND_RATE];
	while (count > 0) {
		const size_t piece = count < SOUND_RATE ? count : SOUND_RATE;
		if (!wav_file_add(file, SILENCE, piece))
			return false;
		count -= piece;
	}
	return true;
}
