/** Digest, signature, checksum, base64, random and memory ports on Node's APIs, so that services run in Node. */
import { randomFillSync } from "node:crypto";
import { nobleEd25519 } from "../../protocol/noble/noble-ed25519.js";
import type { Adler32 } from "../../protocol/ports/crypto.js";
import type { Memory, Random } from "../../protocol/ports/runtime.js";
import type { SignaturePorts } from "../../protocol/signature/ed25519.js";
import { NodeDigest } from "../../tools/node-bytes.js";

export { NodeCrc32, NodeDigest, nodeBase64 } from "../../tools/node-bytes.js";

export const nodeSignatures: SignaturePorts = Object.freeze({ Digest: NodeDigest, ed25519: nobleEd25519 });

export class NodeAdler32 implements Adler32 {
  #sum = 1;
  #sumOfSums = 0;

  checksum(bytes: Uint8Array): number {
    for (const byte of bytes) {
      this.#sum = (this.#sum + byte) % 65521;
      this.#sumOfSums = (this.#sumOfSums + this.#sum) % 65521;
    }
    return this.#sumOfSums * 65536 + this.#sum;
  }
}

export const nodeRandom: Random = Object.freeze({
  getRandomValues: (into: Uint8Array) => randomFillSync(into),
});

export const nodeMemory: Memory = Object.freeze({
  allocate: (byteLength: number) => ({ bytes: new Uint8Array(byteLength), close() {} }),
});
