/**
 * The keys of role `app` that the console's owner has added (docs/spec/keys.md#owner-keys), apart from the trusted keys,
 * which come with firmware. They are read for each use; a console of which nobody has added one has no file.
 *
 * The file is PEM for other programs. What counts of it are lines that are the whole body of an Ed25519 `PUBLIC KEY`: so
 * whatever else stands there, a roles line included, gives a key no other role than `app`.
 */
import { rolesLine } from "../../../protocol/keys/pem-reader.js";
import type { Base64 } from "../../../protocol/ports/runtime.js";
import type { Directory } from "../../ports/files.js";
import { readWhole, replaceFile, statusOf } from "../storage/stored-files.js";

export const OWNER_KEYS = "hub/owner_keys.pem";

/** An owner has one key, or two while one takes the place of the other. */
export const OWNER_KEYS_LIMIT = 4;

/** Twice what {@link writeOwnerKeys} makes of so many keys. */
const FILE_LIMIT_BYTES = 1024;

/** SubjectPublicKeyInfo of Ed25519 up to the key (RFC 8410 §4): 12 bytes, so that the key begins a character. */
const BODY_START = "MCowBQYDK2VwAyEA";
const BODY = /^MCowBQYDK2VwAyEA[A-Za-z0-9+/]{43}=\r?$/;
const BEGIN = "-----BEGIN ";

interface FilePorts {
  readonly files: Directory;
  readonly base64: Base64;
}

/**
 * At most {@link OWNER_KEYS_LIMIT}; none of a file that is too long. A key may be no point of the curve.
 * @param onProblem is told that a part of the file is not used
 * @throws {Error} of the port if the file cannot be read: what it holds is not known then
 */
export function readOwnerKeys(
  { files, base64 }: FilePorts,
  onProblem?: (problem: string) => void,
): Uint8Array[] {
  const keys: Uint8Array[] = [];
  if (!statusOf(files, OWNER_KEYS)) return keys;
  let blocks = 0;
  try {
    const text = new TextDecoder().decode(readWhole(files, OWNER_KEYS, FILE_LIMIT_BYTES));
    for (const line of text.split("\n")) {
      if (line.startsWith(BEGIN)) blocks++;
      if (!BODY.test(line) || keys.length === OWNER_KEYS_LIMIT) continue;
      keys.push(new Uint8Array(base64.decode(line.trim().slice(BODY_START.length))));
    }
  } catch (error) {
    if (!(error instanceof RangeError)) throw error; // too long: told below, since nothing of it was used
  }
  if (keys.length === 0 || keys.length !== blocks)
    onProblem?.(`owner's keys: of a damaged file, ${keys.length} keys are used`);
  return keys;
}

/** Replaces the keys atomically; without any, deletes the file. Its directory is that of the trusted keys. */
export function writeOwnerKeys({ files, base64 }: FilePorts, keys: readonly Uint8Array[]): void {
  if (keys.length === 0) {
    files.delete(OWNER_KEYS);
    return;
  }
  const blocks = keys.map(
    (key) =>
      `${rolesLine(["app"])}${BEGIN}PUBLIC KEY-----\n${BODY_START}${base64.encode(key)}\n-----END PUBLIC KEY-----\n`,
  );
  replaceFile(files, OWNER_KEYS, new TextEncoder().encode(blocks.join("")));
}
