/** What a file is, and who has signed it, if a console that trusts certain keys would take it. */

import { Fault } from "../../protocol/fault.js";
import type { ImageHeader } from "../../protocol/firmware/image-header.js";
import type { TrustedKey } from "../../protocol/keys/trusted-keys.js";
import { readSignature, readSignatureFile } from "../../protocol/signature/signature-text.js";
import { signerOf, trustedKeysIn } from "./signer.js";
import { type AppContents, appKindOf, readApp } from "./verify-app.js";
import { isFirmware, verifyFirmware } from "./verify-firmware.js";

export { type AppContents, appKindOf, readApp } from "./verify-app.js";

export interface VerifyOptions {
  /** Keys to trust, as a console has them. */
  readonly pem: Uint8Array;
  /** Hexadecimal digits, or what is in a file of them; firmware carries its own. */
  readonly signature: string | Uint8Array | undefined;
}

export type Verified = (AppContents | FirmwareContents) & {
  readonly signer: TrustedKey;
  /** What is of no use among the keys, and why. */
  readonly problems: readonly string[];
};

export interface FirmwareContents {
  readonly kind: "firmware";
  readonly image: ImageHeader;
  readonly imageBytes: number;
}

/** @throws {Fault} as a console refuses it, and `keys_invalid` where there is no key to trust */
export async function verify(file: Uint8Array, { pem, signature }: VerifyOptions): Promise<Verified> {
  const { keys, problems } = await trustedKeysIn(pem);
  if (keys.length === 0)
    throw new Fault(
      "keys_invalid",
      ["There is no PUBLIC KEY and no CERTIFICATE of use among the keys", ...problems].join("; "),
    );
  if (isFirmware(file)) return { kind: "firmware", ...(await verifyFirmware(file, pem, keys)), problems };
  const kind = appKindOf(file);
  const signer = signerOf(file, signatureIn(signature), keys, "app");
  const app = await readApp(file, kind);
  return { ...app, concerns: [...app.concerns, ...concernsAboutCode(app, signer)], signer, problems };
}

/** Consoles keep such a file, and run the module in its place. */
function concernsAboutCode({ variants }: AppContents, { roles }: TrustedKey): readonly string[] {
  if (variants.length === 0 || roles.includes("native")) return [];
  return ["no console runs its machine code: the key that signed has not the role native"];
}

/** @throws {Fault} `signature_missing`, `signature_invalid` */
function signatureIn(signature: string | Uint8Array | undefined): Uint8Array {
  return signature instanceof Uint8Array ? readSignatureFile(signature) : readSignature(signature);
}
