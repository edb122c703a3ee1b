/** State that the connections of a server share, so that eight of them do not hold it eight times. */

import type { Encoder } from "../../../protocol/http/text.js";
import type { Memory } from "../../../protocol/ports/memory.js";
import type { Tcp } from "../../../protocol/ports/tcp.js";
import type { Clock, Timer } from "../../../protocol/ports/timer.js";
import type { Api } from "../api/request.js";
import type { HeapAdmission } from "../heap/heap-admission.js";
import type { Logger } from "../logs/log.js";
import type { AnswerEncoder } from "./answer-encoder.js";
import type { Connection } from "./connection.js";
import type { RecentHead } from "./recent-head.js";
import type { RequestGuard } from "./request-guard.js";

export interface Shared {
  readonly tcp: Tcp;
  readonly api: Api;
  readonly door: RequestGuard;
  readonly answers: AnswerEncoder;
  readonly clock: Clock;
  readonly timer: Timer;
  readonly encoder: Encoder;
  readonly log: Logger;
  readonly heads: RecentHead;
  /** Asked before a long head is read; left out: there is always room. */
  readonly heap: HeapAdmission | undefined;
  /** For long heads. */
  readonly memory: Memory | undefined;
  /** What sockets are read into. */
  readonly input: Uint8Array;
  /** The interim response 100, whole. */
  readonly continueBytes: Uint8Array;
  onClosed(connection: Connection): void;
}
