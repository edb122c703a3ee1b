/**
 * Reads a file to install: the manifest of its app, its signature, and its publisher's succession.
 */
import { CAPABILITIES } from "../../protocol/capabilities.js";
import { Fault } from "../../protocol/fault.js";
import type { Manifest } from "../../protocol/manifest/manifest.js";
import { readSignature } from "../../protocol/signature/signature-text.js";
import { readSuccessionFile } from "../../protocol/signature/statements.js";
import { signatureOf } from "../../sdk/publisher-keys.js";
import { codeOf } from "../device/client.js";
import { readIfThere, TEXT_FILE_LIMIT_BYTES } from "../files.js";
import { readKey } from "../key-files.js";
import { SvcError } from "../svc-error.js";
import { bytesText } from "../terminal/format.js";

/** First bytes of a firmware bundle. */
const FIRMWARE_MAGIC = "AKFW";

/**
 * @param bytes of the file
 * @param limitBytes limit of the console, for the file and for an unpacked package
 * @returns a description to show before the upload
 * @throws {Error} `media_type_unsupported`, and the console's errors about package and manifest
 */
export async function introduction(file: string, bytes: Uint8Array, limitBytes: number): Promise<string> {
  if (isFirmware(bytes))
    throw new Fault("media_type_unsupported", `"${file}" is firmware: send it with "svc ota upload"`);
  const { readAppFile } = await import("../../device-client/app-file.js");
  const app = await readAppFile(bytes, limitBytes);
  const size = bytesText(bytes.length);
  if (app.kind === "variant") return `machine code for ${app.architecture}, ${size}`;
  const { manifest } = app;
  if (!manifest) return `module without a manifest, ${size}; it has no capabilities`;
  const alone =
    app.kind === "package" && app.isImageAlone ? `, machine code for ${manifest.target_arch} alone` : "";
  return `${introduce(manifest)}${alone}, ${size}\n${asked(manifest)}`;
}

export function isFirmware(bytes: Uint8Array): boolean {
  return Buffer.from(bytes.subarray(0, 4)).toString("latin1") === FIRMWARE_MAGIC;
}

function introduce({ name, version, author }: Manifest): string {
  return `${name} ${version}${author === "" ? "" : ` by ${author}`}`;
}

function asked({ capabilities }: Manifest): string {
  if (capabilities.length === 0) return "It needs no capabilities.";
  const rows = CAPABILITIES.filter(({ name }) => capabilities.includes(name));
  const width = Math.max(...rows.map(({ name }) => name.length));
  return ["It may:", ...rows.map(({ name, summary }) => `  ${name.padEnd(width)}  ${summary}`)].join("\n");
}

/**
 * The signature to send: the given digits, a new signature by a key, or the content of FILE.sig.
 * @returns 128 hexadecimal digits; `undefined` without a signature
 * @throws {Error} `signature_invalid` for any other text
 */
export async function signatureFor(
  file: string,
  bytes: Uint8Array,
  { digits, key }: { readonly digits: string | undefined; readonly key: string | undefined },
): Promise<string | undefined> {
  if (key !== undefined) {
    return signatureOf(bytes, await readKey(key));
  }
  const text = digits ?? (await signatureBeside(file));
  if (text === undefined) return undefined;
  readSignature(text);
  return text;
}

/**
 * Reads FILE.succession: the proof that the publisher replaced a key (`svc key succeed`).
 * @returns in the format of the request; `undefined` without such a file
 * @throws {Error} `signature_invalid` for an invalid file
 */
export async function successionFor(file: string): Promise<string | undefined> {
  const beside = await readIfThere(`${file}.succession`, TEXT_FILE_LIMIT_BYTES);
  if (!beside) return undefined;
  return readSuccessionFile(beside);
}

async function signatureBeside(file: string): Promise<string | undefined> {
  return (await readIfThere(`${file}.sig`, TEXT_FILE_LIMIT_BYTES))?.toString("utf8").trim();
}

/**
 * Validates the format of `--signature` first, since an error about a wrong signature would make the user check the file
 * and the keys.
 * @throws {SvcError} `wrong_usage` for an invalid format
 */
export async function requireSignature(digits: string | undefined): Promise<void> {
  if (digits === undefined) return;
  try {
    readSignature(digits);
  } catch (cause) {
    if (codeOf(cause) === undefined) throw cause;
    throw new SvcError("wrong_usage", "--signature must be 128 hexadecimal digits", { cause });
  }
}
