/**
 * Provides the secret if the environment has none: 32 random bytes, created once and stored with mode 0600.
 * Processes that start concurrently agree on one: each writes its own to a temporary name, flushes it, and links it to
 * the final name, which succeeds only for the first.
 */
import { randomBytes, randomUUID } from "node:crypto";
import { link, open, readFile, rm } from "node:fs/promises";
import path from "node:path";
import { makeDirectory } from "../files/content-store.js";
import { ConfigError } from "./variables.js";

const SECRET_BYTES = 32;

/**
 * @param storagePath created if missing
 * @param onNotice called when a secret was created, without the secret
 * @throws {ConfigError} if it cannot be stored, or the stored one is empty
 */
export async function provideSecret(
  storagePath: string,
  onNotice: (notice: string) => void,
): Promise<string> {
  const file = path.join(storagePath, "secret");
  try {
    await makeDirectory(storagePath);
    const stored = await readSecret(file);
    if (stored !== undefined) return stored;
    const created = randomBytes(SECRET_BYTES).toString("base64url");
    const kept = await storeSecret(storagePath, created);
    if (kept === created)
      onNotice(`SVC_HUB_SECRET is not set: a secret was created and is stored in "${file}"`);
    return kept;
  } catch (error) {
    if (error instanceof ConfigError) throw error;
    const { message } = error as Error;
    throw new ConfigError(`Cannot store a secret, and SVC_HUB_SECRET is not set: ${message}`, {
      cause: error,
    });
  }
}

/** @returns `undefined` if no secret is stored. @throws {ConfigError} for an empty one */
export function storedSecret(storagePath: string): Promise<string | undefined> {
  return readSecret(path.join(storagePath, "secret"));
}

async function readSecret(file: string): Promise<string | undefined> {
  let secret: string;
  try {
    secret = (await readFile(file, "utf8")).trim();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
  if (secret === "")
    throw new ConfigError(`Cannot use "${file}": it is empty, and SVC_HUB_SECRET is not set`);
  return secret;
}

/** @returns the one that is stored: there may be one, or another process is first */
export async function storeSecret(storagePath: string, secret: string): Promise<string> {
  const file = path.join(storagePath, "secret");
  const own = `${file}.${randomUUID()}`;
  try {
    await writeSecret(own, secret);
    await link(own, file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    return (await readSecret(file)) ?? secret;
  } finally {
    await rm(own, { force: true });
  }
  await flush(storagePath);
  return secret;
}

async function writeSecret(file: string, secret: string): Promise<void> {
  await using handle = await open(file, "wx", 0o600);
  await handle.writeFile(`${secret}\n`);
  await handle.sync();
}

async function flush(directory: string): Promise<void> {
  await using handle = await open(directory, "r");
  await handle.sync();
}
