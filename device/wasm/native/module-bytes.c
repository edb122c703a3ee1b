/* A reader of sections that believes no length (module-bytes.h). */
#include "module-bytes.h"

#include <string.h>

enum { HEADER_BYTES = 8, CUSTOM_SECTION = 0, EXPORT_SECTION = 7, FUNCTION_NAMES = 1, EXTERNAL_FUNCTION = 0 };

static const char NAME[] = { 'n', 'a', 'm', 'e' };
static const char HIDDEN_NAME[] = { 'n', 'a', 'm', 'E' };

static bool is_empty(const Bytes *bytes)
{
	return bytes->at >= bytes->end;
}

/* @returns 0 where the bytes end, which then are empty */
static uint8_t read_byte(Bytes *bytes)
{
	return is_empty(bytes) ? 0 : *bytes->at++;
}

/* LEB128 (WebAssembly 1.0 §5.2.2) of up to 32 bits. */
static uint32_t read_u32(Bytes *bytes)
{
	uint32_t value = 0;
	for (int shift = 0; shift < 35; shift += 7) {
		uint8_t byte = read_byte(bytes);
		value |= (uint32_t)(byte & 0x7f) << shift;
		if (!(byte & 0x80))
			break;
	}
	return value;
}

/* The next `length` bytes, or as many as there are. */
static Bytes read_bytes(Bytes *bytes, uint32_t length)
{
	const size_t left = bytes->end - bytes->at;
	Bytes part = { bytes->at, bytes->at + (length < left ? length : left) };
	bytes->at = part.end;
	return part;
}

static Bytes read_vector(Bytes *bytes)
{
	uint32_t length = read_u32(bytes);
	return read_bytes(bytes, length);
}

static bool is_text(Bytes bytes, const void *text, size_t length)
{
	return (size_t)(bytes.end - bytes.at) == length && memcmp(bytes.at, text, length) == 0;
}

static Bytes sections_of(const uint8_t *module, uint32_t byteLength)
{
	return (Bytes){ module + (byteLength < HEADER_BYTES ? byteLength : HEADER_BYTES), module + byteLength };
}

/* wasm3 compares names up to a NUL. */
static bool is_taken_for_names(Bytes name)
{
	return (size_t)(name.end - name.at) >= sizeof(NAME) && memcmp(name.at, NAME, sizeof(NAME)) == 0
		&& (name.at + sizeof(NAME) == name.end || name.at[sizeof(NAME)] == 0);
}

void module_hide_names(uint8_t *module, uint32_t byteLength)
{
	Bytes sections = sections_of(module, byteLength);
	while (!is_empty(&sections)) {
		uint8_t id = read_byte(&sections);
		Bytes section = read_vector(&sections);
		if (id != CUSTOM_SECTION)
			continue;
		Bytes name = read_vector(&section);
		if (is_taken_for_names(name))
			memcpy(module + (name.at - module), HIDDEN_NAME, sizeof(HIDDEN_NAME));
	}
}

int64_t module_find_export(const uint8_t *module, uint32_t byteLength, const void *wanted, size_t wantedLength)
{
	Bytes sections = sections_of(module, byteLength);
	while (!is_empty(&sections)) {
		uint8_t id = read_byte(&sections);
		Bytes section = read_vector(&sections);
		if (id != EXPORT_SECTION)
			continue;
		for (uint32_t left = read_u32(&section); left > 0 && !is_empty(&section); left--) {
			Bytes name = read_vector(&section);
			uint8_t kind = read_byte(&section);
			uint32_t index = read_u32(&section);
			if (kind == EXTERNAL_FUNCTION && is_text(name, wanted, wantedLength))
				return index;
		}
	}
	return -1;
}

static Bytes find_in_name_map(Bytes map, uint32_t wanted)
{
	for (uint32_t left = read_u32(&map); left > 0 && !is_empty(&map); left--) {
		uint32_t index = read_u32(&map);
		Bytes name = read_vector(&map);
		if (index == wanted)
			return name;
	}
	return (Bytes){ NULL, NULL };
}

Bytes module_function_name(const uint8_t *module, uint32_t byteLength, uint32_t index)
{
	Bytes sections = sections_of(module, byteLength);
	while (!is_empty(&sections)) {
		uint8_t id = read_byte(&sections);
		Bytes section = read_vector(&sections);
		if (id != CUSTOM_SECTION || !is_text(read_vector(&section), HIDDEN_NAME, sizeof(HIDDEN_NAME)))
			continue;
		while (!is_empty(&section)) {
			uint8_t subsection = read_byte(&section);
			Bytes names = read_vector(&section);
			if (subsection == FUNCTION_NAMES)
				return find_in_name_map(names, index);
		}
	}
	return (Bytes){ NULL, NULL };
}
