/**
 * Judges on XS what a test has put into files: `cases`, each the length of a message in two bytes, big-endian,
 * a key, a signature and the message; `keys.pem`; and `manifests`, each a length in two bytes and a text.
 * Traces what it makes of each as a line of JSON.
 */
import files from "embedded:storage/files";
import base64 from "base64";
import { Digest } from "crypt";
import ed25519 from "svc/ed25519";
import { Fault } from "../../../protocol/fault.js";
import { readTrustedKeys } from "../../../protocol/keys/trusted-keys.js";
import { readManifest } from "../../../protocol/manifest/manifest.js";
import { verifySignature } from "../../../protocol/signature/ed25519.js";
import { hexOf } from "../../contracts/assert.js";

export default async function main(): Promise<void> {
  judgeSignatures();
  judgeLengths();
  await readKeys();
  readManifests();
  trace("done\n");
}

function report(value: unknown): void {
  trace(`${JSON.stringify(value)}\n`);
}

function judgeSignatures(): void {
  forEachRecord("cases", 32 + 64, (bytes) => {
    const [publicKey, signature, message] = [bytes.slice(0, 32), bytes.slice(32, 96), bytes.slice(96)];
    const holds = verifySignature({ publicKey, signature, message, Digest, ed25519 });
    report({ holds, isUsable: ed25519.isPublicKey(publicKey) });
  });
}

/** Each part in turn has a byte less, then a byte more. */
function judgeLengths(): void {
  const lengths = [64, 32, 64];
  for (const [part, length] of lengths.entries())
    for (const wrong of [length - 1, length + 1]) {
      const [signature, publicKey, digest] = lengths.map(
        (right, at) => new Uint8Array(at === part ? wrong : right),
      );
      const judge = () =>
        ed25519.holds(signature as Uint8Array, publicKey as Uint8Array, digest as Uint8Array);
      report({ lengthFault: nameOfError(judge) });
      if (part === 1)
        report({ lengthFault: nameOfError(() => ed25519.isPublicKey(publicKey as Uint8Array)) });
    }
}

function nameOfError(act: () => unknown): string {
  try {
    act();
    return "none";
  } catch (error) {
    return (error as Error).name;
  }
}

async function readKeys(): Promise<void> {
  const now = Date.UTC(2050, 0);
  const { keys, problems } = await readTrustedKeys(readFile("keys.pem"), { base64, Digest, ed25519, now });
  report({ keys: keys.map(({ label, publicKey }) => `${label} ${hexOf(publicKey)}`), problems });
}

function readManifests(): void {
  forEachRecord("manifests", 0, (json) => {
    try {
      report({ manifest: { ...readManifest(json) } });
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      report({ fault: error.code, field: error.details?.["field"] });
    }
  });
}

/** One record at a time: all of them would not fit. Before each stands its length, less `extraBytes`. */
function forEachRecord(path: string, extraBytes: number, act: (record: Uint8Array) => void): void {
  const file = files.openFile({ path });
  const { size } = file.status();
  const length = new Uint8Array(2);
  for (let at = 0; at < size; ) {
    file.read(length, at);
    const record = new Uint8Array(extraBytes + (((length[0] ?? 0) << 8) | (length[1] ?? 0)));
    file.read(record, at + 2);
    at += 2 + record.length;
    act(record);
  }
  file.close();
}

function readFile(path: string): Uint8Array {
  const file = files.openFile({ path });
  const bytes = new Uint8Array(file.status().size);
  file.read(bytes, 0);
  file.close();
  return bytes;
}
