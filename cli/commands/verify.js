/**
 * `svc verify`: shows what a file is and who signed it, and whether a console with certain trusted keys would accept
 * it.
 */
import { createHash } from "node:crypto";
import { loadTypeScript } from "../../tools/load-typescript.js";
import { advisedOnFirmware } from "../advice.js";
import { requireSignature } from "../console/signature-argument.js";
import {
  FIRMWARE_FILE_LIMIT_BYTES,
  readContent,
  readIfThere,
  readInput,
  TEXT_FILE_LIMIT_BYTES,
} from "../files.js";
import { textTable } from "../text-table.js";

/** @typedef {import("../../sdk/verify/verify.ts").Verified} Verified */
/**
 * @typedef {typeof import("../../sdk/verify/verify.ts")
 *   & typeof import("../../sdk/verify/verify-firmware.ts")
 *   & typeof import("../../protocol/capabilities.ts")} Verifier
 */
/** @typedef {{ readonly name: string, readonly summary: string }} CapabilityRow */

/** By which people tell keys apart: as many as consoles show. */
const LABEL_DIGITS = 16;

/** @type {import("../command.js").Command} */
export const verify = Object.freeze({
  name: "verify",
  summary: "Says what a file is and who signed it, and whether a console with these keys would take it.",
  parameters: [{ name: "FILE", summary: "package, module, AOT file or firmware", isFile: true }],
  options: [
    {
      name: "keys",
      value: "PEM",
      summary: "keys to trust, as a console has them",
      isRequired: true,
      isFile: true,
    },
    {
      name: "signature",
      value: "HEX",
      summary: "128 hexadecimal digits; by default what is in FILE.sig. Firmware carries its own",
    },
  ],
  async run({ values: { FILE: file = "", keys: keysFile = "", signature }, warn }) {
    await requireSignature(signature);
    /** @type {Verifier} */
    const verifier = await loadTypeScript([
      "sdk/verify/verify.ts",
      "sdk/verify/verify-firmware.ts",
      "protocol/capabilities.ts",
    ]);
    const bytes = await readContent(file, FIRMWARE_FILE_LIMIT_BYTES);
    const pem = await readInput(keysFile, TEXT_FILE_LIMIT_BYTES);
    const options = {
      pem,
      signature: signature ?? (await readIfThere(`${file}.sig`, TEXT_FILE_LIMIT_BYTES)),
    };
    const verifying = verifier.verify(bytes, options);
    const verified = await (verifier.isFirmware(bytes) ? advisedOnFirmware(verifying) : verifying);
    for (const problem of verified.problems) warn(`${keysFile}, ${problem}`);
    if (verified.kind !== "firmware") for (const concern of verified.concerns) warn(concern);
    const sha256 = createHash("sha256").update(bytes).digest("hex");
    const rows = rowsOf(verified, verifier.CAPABILITIES);
    const head = `${file}: ${titleOf(verified)}, ${bytes.length} bytes`;
    return {
      text: `${head}\n${textTable([...signedBy(verified, keysFile), ...rows, ["SHA-256", sha256]])}`,
      json: {
        file,
        kind: verified.kind,
        bytes: bytes.length,
        sha256,
        signed_by: signerOf(verified),
        publisher: hexOf(verified.signer.publisher),
        ...fieldsOf(verified),
      },
    };
  },
});

/** @param {Verified} verified */
function signerOf({ signer: { label, publicKey, roles } }) {
  return { label, public_key: hexOf(publicKey), roles };
}

/** The publisher is whose app it is on a console, as `svc apps --json` shows it. @param {Verified} verified @param {string} keysFile */
function signedBy({ kind, signer: { label, publisher } }, keysFile) {
  const signer = ["signed by", `${label} (of ${keysFile})`];
  return kind === "firmware" ? [signer] : [signer, ["publisher", hexOf(publisher).slice(0, LABEL_DIGITS)]];
}

/** @param {Uint8Array} bytes */
function hexOf(bytes) {
  return Buffer.from(bytes).toString("hex");
}

/** @param {Verified} verified */
function titleOf(verified) {
  if (verified.kind === "firmware") {
    const { version, board, architecture } = verified.image;
    return `firmware ${version} for ${board} (${architecture})`;
  }
  const what = { package: "package", module: "module", variant: "AOT file" }[verified.kind];
  const { manifest, variants } = verified;
  if (manifest) return `${what} of ${manifest.name} ${manifest.version}`;
  return verified.kind === "variant" ? `${what} for ${variants.join()}` : `${what} without a manifest`;
}

/** @param {Verified} verified @param {readonly CapabilityRow[]} capabilities @returns {string[][]} for people */
function rowsOf(verified, capabilities) {
  if (verified.kind === "firmware")
    return [
      ["image", `${verified.imageBytes} bytes`],
      ["security version", `${verified.image.securityVersion}`],
    ];
  const { manifest, variants } = verified;
  if (!manifest) return [];
  return [
    ...texts([
      ["description", manifest.description],
      ["author", manifest.author],
    ]),
    ...capabilityRows(manifest.capabilities, capabilities),
    ["memory", `${manifest.memory_quota} bytes`],
    ...texts([["machine code", variants.join(", ")]]),
  ];
}

/** Those that say something. @param {string[][]} rows */
function texts(rows) {
  return rows.filter(([, text]) => text !== "");
}

/** @param {readonly string[]} asked @param {readonly CapabilityRow[]} all */
function capabilityRows(asked, all) {
  if (asked.length === 0) return [["may", "nothing that needs a capability"]];
  return asked.map((name, at) => {
    const summary = all.find((capability) => capability.name === name)?.summary ?? "";
    return [at === 0 ? "may" : "", `${name}: ${summary}`];
  });
}

/** @param {Verified} verified for programs */
function fieldsOf(verified) {
  if (verified.kind === "firmware") {
    const { version, board, architecture, securityVersion } = verified.image;
    return {
      version,
      board,
      arch: architecture,
      security_version: securityVersion,
      image_bytes: verified.imageBytes,
    };
  }
  const { manifest, variants, concerns } = verified;
  return { ...(manifest && { manifest }), variants, concerns };
}
