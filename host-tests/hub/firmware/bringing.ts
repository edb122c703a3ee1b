/** Publishers of firmware at a hub. */
import { generateKeyPairSync, randomUUID } from "node:crypto";
import { addPublisher } from "../../../hub/operator.js";
import { VARIANT_ARCHITECTURES } from "../../../protocol/file-kind.js";
import {
  bundleOf,
  espImage,
  FOREIGNER,
  newSigner,
  type Signer,
  simulatorImage,
} from "../../unit/protocol/firmware/bundling.js";
import type { HubUnderTest } from "../hosts/hub-under-test.js";
import { type Answer, request } from "../hosts/request.js";

export { bundleOf, espImage, FOREIGNER, simulatorImage };

export interface TestPublisher {
  readonly token: string;
  readonly name: string;
  readonly signer: Signer;
}

/** @param firmware architectures that they may bring firmware for */
export async function newPublisher(
  hub: HubUnderTest,
  firmware: readonly string[] = VARIANT_ARCHITECTURES,
): Promise<TestPublisher> {
  const signer = newSigner();
  const name = `publisher ${randomUUID()}`;
  const { token } = await addPublisher(hub.environment, name, pemOf(signer), undefined, firmware);
  return { token, name, signer };
}

/** Of the public key. */
function pemOf({ publicKey }: Signer): string {
  const der = Buffer.concat([Buffer.from("302a300506032b6570032100", "hex"), publicKey]);
  return `-----BEGIN PUBLIC KEY-----\n${der.toString("base64")}\n-----END PUBLIC KEY-----\n`;
}

/** A key of the hub's own, and its half for consoles. */
export function newHubKey(): { readonly pem: string; readonly publicKey: Uint8Array } {
  const { privateKey, publicKey } = generateKeyPairSync("ed25519");
  return {
    pem: privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
    publicKey: Uint8Array.from(publicKey.export({ type: "spki", format: "der" }).subarray(-32)),
  };
}

/** Of the simulated console. */
export function nativeBundle(version: string, { signer }: TestPublisher, programBytes = 100): Uint8Array {
  return bundleOf(simulatorImage(programBytes, { version }), { signer });
}

/** Of a board. */
export function xtensaBundle(version: string, { signer }: TestPublisher): Uint8Array {
  return bundleOf(espImage({ version }), { signer });
}

export interface Fields {
  readonly version?: string;
  readonly arch?: string;
  readonly notes?: string;
}

export function formOf(bundle: Uint8Array, fields: Fields = {}): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.set(name, value);
  form.set("bundle", new Blob([Uint8Array.from(bundle)]), "firmware.svcfw");
  return form;
}

export function bring(
  hub: HubUnderTest,
  { token }: Pick<TestPublisher, "token">,
  bundle: Uint8Array,
  fields?: Fields,
): Promise<Answer> {
  return request(hub.origin, "POST", "/firmware", { token, form: formOf(bundle, fields) });
}
