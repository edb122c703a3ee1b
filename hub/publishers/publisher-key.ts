/** Reads a publisher's key from the PEM file that the operator got. */

import { Fault } from "../../protocol/fault.js";
import { type PemItem, PemReader } from "../../protocol/keys/pem-reader.js";
import { readPublicKey } from "../../protocol/keys/public-key.js";
import { nodeBase64 } from "../../tools/node-bytes.js";
import { SIGNATURE_PORTS } from "../signature-ports.js";

/**
 * @param pem one `PUBLIC KEY`; text around it is passed over
 * @returns 32 bytes
 * @throws {Fault} `keys_invalid` for anything but one Ed25519 key that only its owner can sign for
 */
export function readPublisherKey(pem: string): Uint8Array {
  const items = itemsOf(pem);
  const problem = items.find((item) => item.kind === "problem");
  if (problem) throw invalid(`line ${problem.line}: ${problem.text}`);
  const [block, another] = items;
  if (block?.kind !== "block") throw invalid("there is no PEM block in it");
  if (another) throw invalid("there is more than one PEM block in it");
  if (block.label !== "PUBLIC KEY") throw invalid(`it holds a ${block.label}, and is to hold a PUBLIC KEY`);
  return keyOf(block.bytes);
}

function itemsOf(pem: string): PemItem[] {
  const items: PemItem[] = [];
  const reader = new PemReader(nodeBase64);
  reader.write(new TextEncoder().encode(pem), (item) => items.push(item));
  const last = reader.end();
  if (last) items.push(last);
  return items;
}

function keyOf(element: Uint8Array): Uint8Array {
  try {
    return readPublicKey(element, SIGNATURE_PORTS.ed25519).slice();
  } catch (cause) {
    if (cause instanceof Fault) throw invalid(cause.message);
    throw cause;
  }
}

function invalid(reason: string): Fault {
  return new Fault("keys_invalid", `Cannot take the publisher's key: ${reason}`);
}
