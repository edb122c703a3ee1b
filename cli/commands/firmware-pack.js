/** `svc firmware pack`: packs a firmware image into a signed bundle for consoles and hubs. */
import { sign } from "node:crypto";
import { withSecurityVersion } from "../../sdk/security-version.js";
import { loadTypeScript } from "../../tools/load-typescript.js";
import { NodeCrc32 } from "../../tools/node-bytes.js";
import { readKey } from "../apps/signing-key.js";
import { FIRMWARE_FILE_LIMIT_BYTES, readContent, requireDirectory, writeOutput } from "../files.js";
import { SvcError } from "../svc-error.js";

/**
 * @typedef {typeof import("../../protocol/firmware/bundle-writer.ts")
 *   & typeof import("../../protocol/firmware/image-header.ts")} Protocol
 */
/** @typedef {import("../../protocol/firmware/image-header.ts").ImageHeader} ImageHeader */

/** @type {import("../command.js").Command} */
export const firmwarePack = Object.freeze({
  name: "firmware pack",
  summary: "Packs an image of firmware and signs it.",
  parameters: [
    { name: "IMAGE", summary: "what `npm run build:firmware` or ESP-IDF has built", isFile: true },
  ],
  options: [
    {
      name: "key",
      value: "PEM",
      summary: "file of the Ed25519 private key to sign with",
      isRequired: true,
      isFile: true,
    },
    {
      name: "security-version",
      value: "N",
      summary:
        "written into the image: consoles that have confirmed it take nothing below; by default the image's own",
    },
    { name: "out", value: "FILE.svcfw", summary: "the bundle to write", isRequired: true, isFile: true },
  ],
  run: pack,
});

/** @param {import("../command.js").Call} call */
async function pack({ values, warn }) {
  const { IMAGE: from = "", key: keyFile = "", out: file = "", securityVersion } = values;
  /** @type {Protocol} */
  const protocol = await loadTypeScript([
    "protocol/firmware/bundle-writer.ts",
    "protocol/firmware/image-header.ts",
  ]);
  requireDirectory(file);
  const key = await readKey(keyFile);
  const original = await readContent(from, FIRMWARE_FILE_LIMIT_BYTES);
  const image =
    securityVersion === undefined ? original : withSecurityVersion(original, readNumber(securityVersion));
  const header = readHeader(protocol, image, (reason) =>
    warn(`${reason}; it is packed all the same, and consoles will refuse it`),
  );
  const bundle = protocol.writeBundle({
    image,
    Crc32: NodeCrc32,
    sign: (message) => sign(null, message, key),
  });
  await writeOutput(file, bundle);
  const crc32 = new NodeCrc32().checksum(image).toString(16).padStart(8, "0");
  return {
    text: `${file}: ${describe(header)}, ${bundle.length} bytes, CRC-32 of the image ${crc32}`,
    json: { file, ...fieldsOf(header), bytes: bundle.length, crc32 },
  };
}

/**
 * @param {Protocol} protocol
 * @param {Uint8Array} image
 * @param {(reason: string) => void} onUnknown is told what is wrong with it
 * @returns {ImageHeader | undefined}
 */
function readHeader({ IMAGE_HEAD_BYTES, readImageHeader }, image, onUnknown) {
  try {
    const header = readImageHeader(image.subarray(0, IMAGE_HEAD_BYTES));
    if (header.leastBytes <= image.length) return header;
    onUnknown(`The image has ${image.length} bytes, and says that it has ${header.leastBytes}`);
  } catch (error) {
    const { code, message } = /** @type {{ code?: string, message: string }} */ (error);
    if (code !== "image_invalid") throw error;
    onUnknown(message);
  }
  return undefined;
}

/** @param {string} text */
function readNumber(text) {
  if (/^[0-9]{1,10}$/.test(text) && Number(text) <= 0xffffffff) return Number(text);
  throw new SvcError("wrong_usage", `--security-version takes a number from 0 on, not "${text}"`);
}

/** @param {ImageHeader | undefined} header */
function describe(header) {
  if (!header) return "an image of no known kind";
  const security = header.securityVersion > 0 ? `, security version ${header.securityVersion}` : "";
  return `firmware ${header.version} for ${header.board} (${header.architecture})${security}`;
}

/** @param {ImageHeader | undefined} header */
function fieldsOf(header) {
  if (!header) return {};
  const { version, board, architecture, securityVersion } = header;
  return { version, board, arch: architecture, security_version: securityVersion };
}
