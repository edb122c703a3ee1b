/** Firmware of the consoles whose power is cut, and the bundles that it comes in; each is made once. */
import { bundleOf, FOREIGNER, SIGNER } from "../unit/protocol/firmware/bundling.js";
import { imageOf, OLD_VERSION, pemOf } from "../unit/services/firmware/emulated-update.js";

/** Content of the file of trusted keys. */
export const KEYS = Object.freeze({ first: pemOf(SIGNER), second: pemOf(FOREIGNER) });
export type KeysName = keyof typeof KEYS;

export interface Firmware {
  readonly version: string;
  /** At least: what the firmware brings is written in it. */
  readonly programBytes: number;
  /** The keys that it brings; left out: it leaves them as they are. */
  readonly keys?: KeysName;
  /** Left out: the console's. */
  readonly board?: string;
}

/** What the console has come with. */
export const OLD: Firmware = Object.freeze({ version: OLD_VERSION, programBytes: 0 });

/** The same with the first keys, for a console that has none. */
export const FACTORY: Firmware = Object.freeze({ ...OLD, keys: "first" });

/** Sent in the end, and taken by whatever firmware was there before. */
export const GOAL: Firmware = Object.freeze({ version: "0.9.0", programBytes: 0 });

/** What may be wrong with a bundle. */
export type Flaw = "signature" | "crc";

const images = new Map<string, Uint8Array>();
const bundles = new Map<string, Uint8Array>();

export function imageFor({ keys, ...fields }: Firmware): Uint8Array {
  const name = JSON.stringify({ keys, ...fields });
  return remembered(images, name, () => imageOf({ ...fields, ...(keys && { trustedKeys: KEYS[keys] }) }));
}

/** @param trusted the keys that the console trusts, so that it takes the bundle unless it is flawed */
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
