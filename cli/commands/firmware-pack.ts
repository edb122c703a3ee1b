/** `svc firmware pack`: packs a firmware image into a signed bundle for consoles and hubs. */
import { sign } from "node:crypto";
import { writeBundle } from "../../protocol/firmware/bundle-writer.js";
import { IMAGE_HEAD_BYTES, type ImageHeader, readImageHeader } from "../../protocol/firmware/image-header.js";
import { withSecurityVersion } from "../../sdk/security-version.js";
import { NodeCrc32 } from "../../tools/node-bytes.js";
import type { Call, Command } from "../command.js";
import { FIRMWARE_FILE_LIMIT_BYTES, readContent, requireDirectory, writeOutput } from "../files.js";
import { readKey } from "../key-files.js";
import { SvcError } from "../svc-error.js";

export const firmwarePack: Command = Object.freeze<Command>({
  name: "firmware pack",
  summary: "Write a firmware image as a signed bundle.",
  parameters: [{ name: "IMAGE", summary: "image from `npm run build:firmware` or ESP-IDF", isFile: true }],
  options: [
    {
      name: "key",
      value: "PEM",
      summary: "sign with this Ed25519 private key",
      isRequired: true,
      isFile: true,
    },
    {
      name: "security-version",
      value: "N",
      summary:
        "security version to write into the image; a console that has confirmed it rejects lower ones; default: the image's own",
    },
    { name: "out", value: "FILE.svcfw", summary: "bundle to write", isRequired: true, isFile: true },
  ],
  run: pack,
});

async function pack({ values, warn }: Call) {
  const { IMAGE: from = "", key: keyFile = "", out: file = "", securityVersion } = values;
  requireDirectory(file);
  const key = await readKey(keyFile);
  const original = await readContent(from, FIRMWARE_FILE_LIMIT_BYTES);
  const image =
    securityVersion === undefined ? original : withSecurityVersion(original, readNumber(securityVersion));
  const header = readHeader(image, (reason) =>
    warn(`${reason}; svc packs it anyway, but consoles will reject it`),
  );
  const bundle = writeBundle({
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

/** @param onUnknown called with the reason if the image is not recognized */
function readHeader(image: Uint8Array, onUnknown: (reason: string) => void): ImageHeader | undefined {
  try {
    const header = readImageHeader(image.subarray(0, IMAGE_HEAD_BYTES));
    if (header.leastBytes <= image.length) return header;
    onUnknown(`The image has ${image.length} bytes, but its header says at least ${header.leastBytes}`);
  } catch (error) {
    const { code, message } = error as { code?: string; message: string };
    if (code !== "image_invalid") throw error;
    onUnknown(message);
  }
  return undefined;
}

function readNumber(text: string): number {
  if (/^[0-9]{1,10}$/.test(text) && Number(text) <= 0xffffffff) return Number(text);
  throw new SvcError(
    "wrong_usage",
    `--security-version must be a number from 0 to 4294967295, not "${text}"`,
  );
}

function describe(header: ImageHeader | undefined): string {
  if (!header) return "an unknown image";
  const security = header.securityVersion > 0 ? `, security version ${header.securityVersion}` : "";
  return `firmware ${header.version} for ${header.board} (${header.architecture})${security}`;
}

function fieldsOf(header: ImageHeader | undefined) {
  if (!header) return {};
  const { version, board, architecture, securityVersion } = header;
  return { version, board, arch: architecture, security_version: securityVersion };
}
