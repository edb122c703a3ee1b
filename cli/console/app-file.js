/** Reads a file to install with its signature, and the manifest of its app. */
import { signatureOf } from "../../sdk/builder/signature.js";
import { loadTypeScript } from "../../tools/load-typescript.js";
import { readKey } from "../apps/signing-key.js";
import { readIfThere, TEXT_FILE_LIMIT_BYTES } from "../files.js";
import { bytesText } from "../terminal/units.js";

/** @typedef {import("../../protocol/manifest/manifest.ts").Manifest} Manifest */

/**
 * @typedef {typeof import("../../device-client/app-file.ts")
 *   & typeof import("../../protocol/capabilities.ts")
 *   & typeof import("../../protocol/fault.ts")
 *   & typeof import("../../protocol/signature/signature-text.ts")
 *   & typeof import("../../protocol/signature/statements.ts")} AppFiles
 */

/** @returns {Promise<AppFiles>} */
const loadAppFiles = () =>
  loadTypeScript([
    "device-client/app-file.ts",
    "protocol/capabilities.ts",
    "protocol/fault.ts",
    "protocol/signature/signature-text.ts",
    "protocol/signature/statements.ts",
  ]);

/** How a bundle of firmware begins. */
const FIRMWARE_MAGIC = "AKFW";

/**
 * @param {string} file
 * @param {Uint8Array} bytes of it
 * @param {number} limitBytes of the console, for the file and for what a package unpacks to
 * @returns {Promise<string>} what is shown before it is sent
 * @throws {Error} `media_type_unsupported`, and whatever the console would say of package and manifest
 */
export async function introduction(file, bytes, limitBytes) {
  const files = await loadAppFiles();
  if (Buffer.from(bytes.subarray(0, 4)).toString("latin1") === FIRMWARE_MAGIC)
    throw new files.Fault("media_type_unsupported", `"${file}" is firmware: send it with "svc ota upload"`);
  const app = await files.readAppFile(bytes, limitBytes);
  const size = bytesText(bytes.length);
  if (app.kind === "variant") return `machine code for ${app.architecture}, ${size}`;
  const { manifest } = app;
  if (!manifest) return `a module without a manifest, ${size}; it may use nothing`;
  return `${introduce(manifest)}, ${size}\n${asked(manifest, files.CAPABILITIES)}`;
}

/** @param {Manifest} manifest */
function introduce({ name, version, author }) {
  return `${name} ${version}${author === "" ? "" : ` by ${author}`}`;
}

/** @param {Manifest} manifest @param {AppFiles["CAPABILITIES"]} known */
function asked({ capabilities }, known) {
  if (capabilities.length === 0) return "It asks for no capabilities.";
  const rows = known.filter(({ name }) => capabilities.includes(name));
  const width = Math.max(...rows.map(({ name }) => name.length));
  return ["It may:", ...rows.map(({ name, summary }) => `  ${name.padEnd(width)}  ${summary}`)].join("\n");
}

/**
 * The signature to send: given in digits, made with a key, or in the file beside it.
 *
 * @param {string} file
 * @param {Uint8Array} bytes
 * @param {{ readonly digits: string | undefined, readonly key: string | undefined }} given
 * @returns {Promise<string | undefined>} 128 hexadecimal digits; `undefined` where there is none
 * @throws {Error} `signature_invalid` for anything but the digits
 */
export async function signatureFor(file, bytes, { digits, key }) {
  if (key !== undefined) {
    return signatureOf(bytes, await readKey(key));
  }
  const text = digits ?? (await signatureBeside(file));
  if (text === undefined) return undefined;
  const { readSignature } = await loadAppFiles();
  readSignature(text);
  return text;
}

/**
 * The keys that its publisher has succeeded, by the file beside it (`svc key succeed`).
 *
 * @param {string} file
 * @returns {Promise<string | undefined>} as it travels; `undefined` where there is none
 * @throws {Error} `signature_invalid` for what cannot be that
 */
export async function successionFor(file) {
  const beside = await readIfThere(`${file}.succession`, TEXT_FILE_LIMIT_BYTES);
  if (!beside) return undefined;
  const { readSuccessionFile } = await loadAppFiles();
  return readSuccessionFile(beside);
}

/** @param {string} file */
async function signatureBeside(file) {
  return (await readIfThere(`${file}.sig`, TEXT_FILE_LIMIT_BYTES))?.toString("utf8").trim();
}
