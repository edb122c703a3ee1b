/* One small file for each slot (slot-seal.h). */
#include "slot-seal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "crc32.h"
#include "device-secret.h"
#include "digest-engine.h"

/* The file format. The same machine writes and reads it, so host byte order is used. */
typedef struct {
	char magic[8];
	uint32_t kind, length, securityVersion, confirmation;
	uint8_t publicKey[PUBLIC_KEY_BYTES];
	uint8_t signature[SIGNATURE_BYTES];
	uint8_t digest[SHA256_BYTES];
	uint8_t code[DEVICE_MAC_BYTES];
} StoredSeal;

_Static_assert(sizeof(StoredSeal) == SLOT_SEAL_BYTES, "there is no padding");

static const char MAGIC[8] = { 'S', 'V', 'C', 'S', 'E', 'A', 'L', '1' };

void slot_seal_name(Slot slot, bool isNew, char name[SLOT_SEAL_NAME_BYTES])
{
	snprintf(name, SLOT_SEAL_NAME_BYTES, "%s.seal%s", slot_name(slot), isNew ? ".new" : "");
}

/* A seal is valid for its own slot only. */
static const char *purpose_of(Slot slot)
{
	return slot == SLOT_A ? "svc seal of slot a" : "svc seal of slot b";
}

SlotSeal slot_seal_of_bytes(const FirmwareImage *image)
{
	SlotSeal seal = {
		.kind = SEAL_PROGRAMMED,
		.length = (uint32_t)image->length,
		.securityVersion = firmware_image_security_version(image),
	};
	sha256_of(image->bytes, image->length, "", 0, seal.digest);
	return seal;
}

void slot_seal_encode(Slot slot, const SlotSeal *seal, uint8_t bytes[SLOT_SEAL_BYTES])
{
	StoredSeal stored = {
		.kind = seal->kind,
		.length = seal->length,
		.securityVersion = seal->securityVersion,
		.confirmation = seal->confirmation,
	};
	memcpy(stored.magic, MAGIC, sizeof(MAGIC));
	memcpy(stored.publicKey, seal->publicKey, PUBLIC_KEY_BYTES);
	memcpy(stored.signature, seal->signature, SIGNATURE_BYTES);
	memcpy(stored.digest, seal->digest, SHA256_BYTES);
	device_secret_authenticate(purpose_of(slot), &stored, offsetof(StoredSeal, code), stored.code);
	memcpy(bytes, &stored, SLOT_SEAL_BYTES);
}

static bool read_stored(const char *name, StoredSeal *stored)
{
	StorageFile *file;
	if (storage_open(STORAGE_SLOTS, name, STORAGE_READ, &file) != 0)
		return false;
	const bool isRead = storage_read(file, stored, sizeof(*stored), 0) == sizeof(*stored);
	storage_close(file);
	return isRead;
}

bool slot_seal_load(Slot slot, bool isNew, SlotSeal *seal)
{
	StoredSeal stored;
	char name[SLOT_SEAL_NAME_BYTES];
	slot_seal_name(slot, isNew, name);
	if (!read_stored(name, &stored) || memcmp(stored.magic, MAGIC, sizeof(MAGIC)) != 0
			|| !device_secret_holds(purpose_of(slot), &stored, offsetof(StoredSeal, code), stored.code)
			|| stored.kind == 0 || stored.kind >= SEAL_KINDS)
		return false;
	*seal = (SlotSeal){
		.kind = stored.kind,
		.length = stored.length,
		.securityVersion = stored.securityVersion,
		.confirmation = stored.confirmation,
	};
	memcpy(seal->publicKey, stored.publicKey, PUBLIC_KEY_BYTES);
	memcpy(seal->signature, stored.signature, SIGNATURE_BYTES);
	memcpy(seal->digest, stored.digest, SHA256_BYTES);
	return true;
}

int slot_seal_save(Slot slot, const SlotSeal *seal)
{
	uint8_t bytes[SLOT_SEAL_BYTES];
	char name[SLOT_SEAL_NAME_BYTES], newName[SLOT_SEAL_NAME_BYTES];
	StorageFile *file;
	slot_seal_encode(slot, seal, bytes);
	slot_seal_name(slot, false, name);
	slot_seal_name(slot, true, newName);
	int error = storage_open(STORAGE_SLOTS, newName, STORAGE_WRITE | STORAGE_EMPTY, &file);
	if (error)
		return error;
	error = storage_write(file, bytes, sizeof(bytes), 0);
	if (!error)
		error = storage_flush(file);
	storage_close(file);
	return error ? error : storage_rename(STORAGE_SLOTS, newName, name);
}

int slot_seal_confirm(Slot slot, uint32_t confirmation)
{
	SlotSeal seal;
	if (!slot_seal_load(slot, false, &seal))
		return 0;
	seal.confirmation = confirmation;
	return slot_seal_save(slot, &seal);
}

static void put_little_endian(uint8_t bytes[4], uint32_t value)
{
	for (int index = 0; index < 4; index++)
		bytes[index] = (uint8_t)(value >> 8 * index);
}

typedef void (*TakeBytes)(void *target, const void *bytes, size_t length);

/*
 * Passes on the slot's first bytes, as many as the seal covers: the image from memory, since that is what runs, and
 * the rest from the file, piece by piece, because a slot may be larger than memory.
 * @returns whether the slot has that many bytes
 */
static bool pass_bytes(const SlotSeal *seal, const SlotBytes *slot, TakeBytes take, void *target)
{
	uint8_t piece[4096];
	size_t position = slot->image->length;
	take(target, slot->image->bytes, position);
	while (position < seal->length) {
		const size_t left = seal->length - position;
		const size_t length = left < sizeof(piece) ? left : sizeof(piece);
		if (storage_read(slot->file, piece, length, (int64_t)position) != (ssize_t)length)
			return false;
		take(target, piece, length);
		position += length;
	}
	return true;
}

static void take_crc32(void *crc, const void *bytes, size_t length)
{
	*(uint32_t *)crc = crc32_update(*(uint32_t *)crc, bytes, length);
}

static void take_digest(void *engine, const void *bytes, size_t length)
{
	digest_engine_write(engine, bytes, length);
}

static DigestEngine *new_engine(const char *algorithm)
{
	DigestEngine *engine = digest_engine_new(algorithm);
	if (!engine)
		abort();
	return engine;
}

/* @returns whether the slot has as many bytes as the seal covers; ends the engine in both cases */
static bool end_digest(DigestEngine *engine, const SlotSeal *seal, const SlotBytes *slot,
	uint8_t digest[MAXIMUM_DIGEST_BYTES])
{
	const bool isAll = pass_bytes(seal, slot, take_digest, engine);
	digest_engine_end(engine, digest);
	digest_engine_delete(engine);
	return isAll;
}

/* A bundle's signature covers it from byte 70 on (protocol/firmware/bundle-header.ts). */
static bool is_signed(const SlotSeal *seal, const SlotBytes *slot)
{
	uint8_t digest[MAXIMUM_DIGEST_BYTES], signedHeader[8];
	uint32_t crc = 0;
	if (!signature_key_is_usable(seal->publicKey) || !pass_bytes(seal, slot, take_crc32, &crc))
		return false;
	put_little_endian(signedHeader, seal->length);
	put_little_endian(signedHeader + 4, crc);
	DigestEngine *engine = new_engine("SHA512");
	digest_engine_write(engine, seal->signature, PUBLIC_KEY_BYTES);		// R, the first half
	digest_engine_write(engine, seal->publicKey, PUBLIC_KEY_BYTES);
	digest_engine_write(engine, signedHeader, sizeof(signedHeader));
	return end_digest(engine, seal, slot, digest) && signature_holds(seal->signature, seal->publicKey, digest);
}

bool slot_seal_holds(const SlotSeal *seal, const SlotBytes *slot)
{
	uint8_t digest[MAXIMUM_DIGEST_BYTES];
	if (seal->length < slot->image->length)
		return false;
	if (seal->kind == SEAL_SIGNED)
		return is_signed(seal, slot);
	return end_digest(new_engine("SHA256"), seal, slot, digest) && memcmp(digest, seal->digest, SHA256_BYTES) == 0;
}
