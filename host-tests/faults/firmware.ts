/** Firmware images and bundles for the power cut tests; each is built once. */
import { bundleOf, FOREIGNER, SIGNER } from "../unit/protocol/firmware/bundling.js";
import { imageOf, OLD_VERSION, pemOf } from "../unit/services/firmware/emulated-update.js";

/** Content of the file of trusted keys. */
export const KEYS = Object.freeze({ first: pemOf(SIGNER), second: pemOf(FOREIGNER) });
export type KeysName = keyof typeof KEYS;

export interface Firmware {
  readonly version: string;
  /** Minimum size; the version, board and keys are part of the program. */
  readonly programBytes: number;
  /** Trusted keys in the firmware; default: none, which leaves the console's keys unchanged. */
  readonly keys?: KeysName;
  /** Default: the console's board. */
  readonly board?: string;
}

/** The console's first firmware. */
export const OLD: Firmware = Object.freeze({ version: OLD_VERSION, programBytes: 0 });

/** The same firmware with the first keys, for a console without keys. */
export const FACTORY: Firmware = Object.freeze({ ...OLD, keys: "first" });

/** The last update, which a console must accept after any earlier firmware. */
export const GOAL: Firmware = Object.freeze({ version: "0.9.0", programBytes: 0 });

/** Defects of a bundle. */
export type Flaw = "signature" | "crc";

const images = new Map<string, Uint8Array>();
const bundles = new Map<string, Uint8Array>();

export function imageFor({ keys, ...fields }: Firmware): Uint8Array {
  const name = JSON.stringify({ keys, ...fields });
  return remembered(images, name, () => imageOf({ ...fields, ...(keys && { trustedKeys: KEYS[keys] }) }));
}

/** @param trusted the keys that the console trusts; it accepts the bundle unless `flaw` is set */
export function bundleFor(firmware: Firmware, trusted: KeysName, flaw?: Flaw): Uint8Array {
  const isFirst = (trusted === "first") !== (flaw === "signature");
  const fields = { signer: isFirst ? SIGNER : FOREIGNER, crcError: flaw === "crc" ? 1 : 0 };
  const name = JSON.stringify({ firmware, trusted, flaw });
  return remembered(bundles, name, () => bundleOf(imageFor(firmware), fields));
}

function remembered(made: Map<string, Uint8Array>, name: string, make: () => Uint8Array): Uint8Array {
  const bytes = made.get(name) ?? make();
  made.set(name, bytes);
  return bytes;
}
