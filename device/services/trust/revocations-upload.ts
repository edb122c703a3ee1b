/** `GET` and `POST /api/keys/revocations`: show and replace the list of revoked keys. */
import { REVOCATIONS_LIMIT_BYTES } from "../../../protocol/keys/revocation-list.js";
import type { Memory } from "../../../protocol/ports/memory.js";
import type { Services } from "../api/endpoint.js";
import type { JsonAnswer } from "../api/request.js";
import type { UploadConsumer, UploadTarget } from "../upload/upload-target.js";
import type { Revocations } from "./revocations.js";

/** @throws {Fault} `signature_invalid` where the list is damaged */
export function showRevocations({ revocations }: Services): JsonAnswer {
  return { status: 200, body: revocations.summary() };
}

export class RevocationsUpload implements UploadTarget {
  readonly limitBytes = REVOCATIONS_LIMIT_BYTES;
  readonly #revocations: Revocations;
  readonly #memory: Memory;

  constructor(revocations: Revocations, memory: Memory) {
    this.#revocations = revocations;
    this.#memory = memory;
  }

  begin(): UploadConsumer {
    const block = this.#memory.allocate(REVOCATIONS_LIMIT_BYTES);
    let byteLength = 0;
    return {
      write: (bytes) => {
        block.bytes.set(bytes, byteLength); // uploads end what goes over the limit
        byteLength += bytes.length;
      },
      complete: async ({ call }) => {
        try {
          const isOverCable = call.request.transport === "usb";
          const list = block.bytes.subarray(0, byteLength);
          return { status: 200, body: await this.#revocations.accept(list, isOverCable) };
        } finally {
          block.close();
        }
      },
      abort: () => block.close(),
    };
  }
}
