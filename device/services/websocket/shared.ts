/** What the connections of a server share. */

import type { Decoder, Encoder } from "../../../protocol/http/text.js";
import type { Memory } from "../../../protocol/ports/memory.js";
import type { Tcp } from "../../../protocol/ports/tcp.js";
import type { Clock, Timer } from "../../../protocol/ports/timer.js";
import type { HeapAdmission } from "../heap/heap-admission.js";
import type { Logger, LogLines } from "../logs/log.js";
import type { Connection } from "./connection.js";
import type { FrameWriter } from "./frame-writer.js";
import type { Handshake } from "./handshake.js";

export interface Shared {
  readonly tcp: Tcp;
  readonly timer: Timer;
  readonly clock: Clock;
  readonly log: Logger;
  readonly lines: LogLines;
  readonly handshake: Handshake;
  readonly frames: FrameWriter;
  readonly encoder: Pick<Encoder, "encode">;
  readonly decoder: Decoder;
  /** Asked before a long head is read; left out: there is always room. */
  readonly heap: HeapAdmission | undefined;
  /** For long heads. */
  readonly memory: Memory | undefined;
  /** What sockets are read into. */
  readonly input: Uint8Array;
  /** @throws {Fault} `busy` where one more client is too many, or one more from there */
  checkRoom(address: string | undefined): void;
  onClosed(connection: Connection): void;
}
