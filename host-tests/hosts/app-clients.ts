/** Installs an app over each transport. */
import { PUBLISHER_FIELDS, type PublisherTexts } from "../../protocol/signature/statements.js";
import type { Console } from "./simulator.js";
import { type Reply, sendInHttpChunks, sendOverHttp, sendOverUsb } from "./upload-clients.js";
import type { UsbClient } from "./usb-client.js";

export interface Upload {
  readonly file: Uint8Array;
  readonly signature?: string;
  readonly name?: string;
  readonly downgrade?: boolean;
  /** Proofs of the publisher besides the signature, such as a hub's voucher. */
  readonly publisher?: PublisherTexts;
}

const path = "/api/apps/install";

/** Installs with one request whose body is the whole file; the signature is in a header. */
export function installOverHttp(
  console: Pick<Console, "http">,
  { file, signature, publisher = {}, ...asked }: Upload,
): Promise<Reply> {
  const said = PUBLISHER_FIELDS.map(({ header, member }) => [header, publisher[member]]);
  const headers = present({ "x-svc-signature": signature, ...Object.fromEntries(said) });
  return sendOverHttp(console, { path, file, parameters: askedFor(asked), headers });
}

/** Installs with one request per chunk, until all chunks are sent or one is rejected. @returns the last answer */
export function installInHttpChunks(
  console: Pick<Console, "http">,
  { file, signature, publisher, ...asked }: Upload,
  chunkBytes: number,
): Promise<Reply> {
  const parameters = { ...askedFor(asked), ...present({ signature, ...proofs(publisher) }) };
  return sendInHttpChunks(console, { path, file, parameters }, chunkBytes);
}

/** Installs with one line per chunk; the last line carries the signature and the other proofs. */
export function installOverUsb(
  usb: UsbClient,
  { file, signature, publisher, ...asked }: Upload,
  chunkBytes: number,
): Promise<Reply> {
  const lastParameters = present({ signature, ...proofs(publisher) });
  return sendOverUsb(usb, { path, file, parameters: askedFor(asked), lastParameters }, chunkBytes);
}

function askedFor({ name, downgrade }: Pick<Upload, "name" | "downgrade">): Record<string, string> {
  return present({ name, downgrade: downgrade === undefined ? undefined : String(downgrade) });
}

/** The proofs, keyed by parameter name. */
function proofs(publisher: PublisherTexts = {}): Record<string, string | undefined> {
  return Object.fromEntries(PUBLISHER_FIELDS.map(({ member, parameter }) => [parameter, publisher[member]]));
}

/** Drops the `undefined` entries. */
function present(texts: Readonly<Record<string, string | undefined>>): Record<string, string> {
  const given = Object.entries(texts).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return Object.fromEntries(given);
}
