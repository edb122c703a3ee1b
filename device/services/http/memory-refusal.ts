/**
 * Refuses connections that there is no memory for, with bytes that were made at the start, on a bare socket. Does not
 * read the client's request.
 */
import type { Encoder } from "../../../protocol/http/text.js";
import type { Tcp, TcpSocket } from "../../../protocol/ports/tcp.js";
import { shortOfMemory } from "../heap/heap-admission.js";
import { refusal } from "./response-head.js";

/** Told at a time; more are closed without a word (docs/spec/memory.md#refused-work). */
const REFUSALS_LIMIT = 4;

export class MemoryRefusal {
  readonly #Socket: Tcp["Socket"];
  readonly #bytes: Uint8Array;
  readonly #told = new Set<TcpSocket>();

  constructor(Socket: Tcp["Socket"], encoder: Pick<Encoder, "encode">) {
    this.#Socket = Socket;
    this.#bytes = refusal(shortOfMemory(), encoder);
  }

  /** @param from an accepted connection, which it takes over */
  tell(from: TcpSocket): void {
    if (this.#told.size >= REFUSALS_LIMIT) {
      from.close();
      return;
    }
    const end = () => {
      this.#told.delete(socket);
      socket.close();
    };
    const socket: TcpSocket = new this.#Socket({
      from,
      onWritable: () => {
        try {
          socket.write(this.#bytes);
        } catch {
          // The client is gone, which is all right.
        }
        end();
      },
      onError: end,
    });
    this.#told.add(socket);
  }

  /** Ends connections whose refusal has not been sent. */
  close(): void {
    for (const socket of this.#told) socket.close();
    this.#told.clear();
  }
}
