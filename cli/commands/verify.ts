/**
 * `svc verify`: shows what a file is and who signed it, and whether a console with certain trusted keys would accept
 * it.
 */
import { createHash } from "node:crypto";
import { CAPABILITIES } from "../../protocol/capabilities.js";
import type { Verified } from "../../sdk/verify/verify.js";
import { advisedOnFirmware } from "../advice.js";
import type { Command } from "../command.js";
import { requireSignature } from "../console/app-file.js";
import {
  FIRMWARE_FILE_LIMIT_BYTES,
  readContent,
  readIfThere,
  readInput,
  TEXT_FILE_LIMIT_BYTES,
} from "../files.js";
import { textTable } from "../terminal/format.js";

type CapabilityRow = { readonly name: string; readonly summary: string };

/** Hexadecimal digits of a key's label, as on consoles. */
const LABEL_DIGITS = 16;

export const verify: Command = Object.freeze<Command>({
  name: "verify",
  summary: "Check a file's signature, and whether a console with these keys would accept the file.",
  parameters: [{ name: "FILE", summary: "package, module, AOT file or firmware bundle", isFile: true }],
  options: [
    {
      name: "keys",
      value: "PEM",
      summary: "public keys that the console trusts",
      isRequired: true,
      isFile: true,
    },
    {
      name: "signature",
      value: "HEX",
      summary:
        "signature of the file, 128 hexadecimal digits; default: the content of FILE.sig. Firmware contains its own",
    },
  ],
  async run({ values: { FILE: file = "", keys: keysFile = "", signature }, warn }) {
    await requireSignature(signature);
    // Loads the module validator only here.
    const [verifier, { isFirmware }] = await Promise.all([
      import("../../sdk/verify/verify.js"),
      import("../../sdk/verify/verify.js"),
    ]);
    const bytes = await readContent(file, FIRMWARE_FILE_LIMIT_BYTES);
    const pem = await readInput(keysFile, TEXT_FILE_LIMIT_BYTES);
    const options = {
      pem,
      signature: signature ?? (await readIfThere(`${file}.sig`, TEXT_FILE_LIMIT_BYTES)),
    };
    const verifying = verifier.verify(bytes, options);
    const verified = await (isFirmware(bytes) ? advisedOnFirmware(verifying) : verifying);
    for (const problem of verified.problems) warn(`${keysFile}, ${problem}`);
    if (verified.kind !== "firmware") for (const concern of verified.concerns) warn(concern);
    const sha256 = createHash("sha256").update(bytes).digest("hex");
    const rows = rowsOf(verified, CAPABILITIES);
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

function signerOf({ signer: { label, publicKey, roles } }: Verified) {
  return { label, public_key: hexOf(publicKey), roles };
}

/** The publisher owns the app on a console, as in `svc apps --json`. */
function signedBy({ kind, signer: { label, publisher } }: Verified, keysFile: string): string[][] {
  const signer = ["signed by", `${label} (of ${keysFile})`];
  return kind === "firmware" ? [signer] : [signer, ["publisher", hexOf(publisher).slice(0, LABEL_DIGITS)]];
}

function hexOf(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString("hex");
}

function titleOf(verified: Verified): string {
  if (verified.kind === "firmware") {
    const { version, board, architecture } = verified.image;
    return `firmware ${version} for ${board} (${architecture})`;
  }
  const what = { package: "package", module: "module", variant: "AOT file" }[verified.kind];
  const { manifest, variants } = verified;
  if (manifest) return `${what} of ${manifest.name} ${manifest.version}`;
  return verified.kind === "variant" ? `${what} for ${variants.join()}` : `${what} without a manifest`;
}

/** Rows of the table for users. */
function rowsOf(verified: Verified, capabilities: readonly CapabilityRow[]): string[][] {
  if (verified.kind === "firmware")
    return [
      ["image", `${verified.imageBytes} bytes`],
      ["security version", `${verified.image.securityVersion}`],
    ];
  const { manifest, variants, isImageAlone } = verified;
  const machineCode = isImageAlone
    ? `${variants.join()} alone: no other console runs it`
    : variants.join(", ");
  if (!manifest) return [];
  return [
    ...texts([
      ["description", manifest.description],
      ["author", manifest.author],
    ]),
    ...capabilityRows(manifest.capabilities, capabilities),
    ["memory", `${manifest.memory_quota} bytes`],
    ...texts([["machine code", machineCode]]),
  ];
}

/** Drops rows with an empty text. */
function texts(rows: string[][]): string[][] {
  return rows.filter(([, text]) => text !== "");
}

function capabilityRows(asked: readonly string[], all: readonly CapabilityRow[]): string[][] {
  if (asked.length === 0) return [["may", "use nothing that needs a capability"]];
  return asked.map((name, at) => {
    const summary = all.find((capability) => capability.name === name)?.summary ?? "";
    return [at === 0 ? "may" : "", `${name}: ${summary}`];
  });
}

/** Fields of the JSON for programs. */
function fieldsOf(verified: Verified) {
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
  const { manifest, variants, isImageAlone, concerns } = verified;
  return {
    ...(manifest && { manifest }),
    variants,
    ...(isImageAlone && { image_only: true }),
    concerns,
  };
}
