/** Uploads with an emulated clock, targets that store what they receive, and a client. */
import { expect } from "vitest";
import { type Call, Parameters } from "../../../../device/services/api/call.js";
import type { Answer, JsonAnswer, Transport } from "../../../../device/services/api/request.js";
import {
  CHUNK_PARAMETERS,
  type UploadFacts,
  type UploadSink,
  type UploadStart,
  type UploadTarget,
} from "../../../../device/services/upload/upload-phase.js";
import { Uploads } from "../../../../device/services/upload/uploads.js";
import { Fault, type FaultCode } from "../../../../protocol/fault.js";
import { EmulatedClock } from "../../../hosts/emulated-clock.js";
import { NodeCrc32, nodeMemory } from "../../../hosts/node-bytes.js";

export const LIMIT_BYTES = 10_000;

/** One file on its way. Calls that a sink must not get end the test. */
export class SampleFile implements UploadSink {
  readonly start: UploadStart;
  readonly #target: SampleTarget;
  state: "open" | "completed" | "aborted" = "open";
  facts: UploadFacts | undefined;
  content = "";

  constructor(start: UploadStart, target: SampleTarget) {
    this.start = start;
    this.#target = target;
  }

  write(bytes: Uint8Array): void {
    this.#mustBeOpen("write");
    if (bytes.length === 0) throw new Error("A sink is given at least one byte");
    const text = Buffer.from(bytes).toString("latin1");
    this.#target.onWrite?.(text);
    this.content += text;
  }

  end(facts: UploadFacts): JsonAnswer | Promise<JsonAnswer> {
    this.#mustBeOpen("end");
    this.state = "completed";
    this.facts = facts;
    return this.#target.onComplete(this);
  }

  abort(): void {
    this.#mustBeOpen("abort");
    this.state = "aborted";
    this.#target.onAbort?.();
  }

  #mustBeOpen(call: string): void {
    if (this.state !== "open") throw new Error(`${call} of a file that is ${this.state}`);
  }
}

export class SampleTarget implements UploadTarget {
  readonly limitBytes: number = LIMIT_BYTES;
  readonly files: SampleFile[] = [];
  refusal: Fault | undefined;
  onWrite: ((text: string) => void) | undefined;
  onAbort: (() => void) | undefined;
  onComplete: (file: SampleFile) => JsonAnswer | Promise<JsonAnswer> = ({ content }) => ({
    status: 200,
    body: { content },
  });

  begin(start: UploadStart): UploadSink {
    if (this.refusal) throw this.refusal;
    const file = new SampleFile(start, this);
    this.files.push(file);
    return file;
  }

  /** The file that came last. */
  get file(): SampleFile {
    const file = this.files.at(-1);
    if (!file) throw new Error("No upload has begun");
    return file;
  }
}

export interface Sent {
  readonly target: UploadTarget;
  readonly transport?: Transport;
  /** The machine that sends it, over HTTP. */
  readonly host?: string;
  readonly chunk?: number | string;
  readonly total?: number | string;
  /** Latin-1. */
  readonly body?: string;
  /** Left out: that of `body`. */
  readonly bodyByteLength?: number | undefined;
}

/** The code of a fault, in place of the body. */
export const refusedWith = (code: FaultCode) => expect.objectContaining({ error: code });

/** One request to a target that the method names. */
export type Part = Omit<Sent, "target">;

/** What a client gets. */
export interface Reply {
  readonly status: number;
  readonly body: unknown;
  readonly answer?: Answer;
}

export class Uploading {
  readonly clock = new EmulatedClock();
  readonly logged: string[] = [];
  readonly apps = new SampleTarget();
  readonly firmware = new SampleTarget();
  readonly uploads: Uploads;

  /** @param endOthers frees memory for the cable */
  constructor(endOthers: () => void = () => {}) {
    const log = (message: string) => void this.logged.push(message);
    this.uploads = new Uploads({
      memory: nodeMemory,
      endOthers,
      timer: this.clock,
      clock: this.clock,
      Crc32: NodeCrc32,
      log: { debug: log, info: log, warning: log, error: log },
    });
  }

  /** A request up to its body. @throws {Fault} a rejection before the body */
  open(sent: Sent) {
    return this.uploads.receive(callOf(sent), sent.target);
  }

  install(part: Part): Promise<Reply> {
    return this.send({ target: this.apps, ...part });
  }

  flash(part: Part): Promise<Reply> {
    return this.send({ target: this.firmware, ...part });
  }

  /** States of the app files, in the order of their arrival. */
  get states(): readonly SampleFile["state"][] {
    return this.apps.files.map(({ state }) => state);
  }

  /** A whole request. */
  send(sent: Sent): Promise<Reply> {
    return replyOf(() => {
      const receiver = this.open(sent);
      try {
        // In two pieces, as a network may deliver it.
        const bytes = Buffer.from(sent.body ?? "", "latin1");
        const half = bytes.length >> 1;
        if (half > 0) receiver.write(bytes.subarray(0, half));
        if (bytes.length > half) receiver.write(bytes.subarray(half));
      } catch (error) {
        receiver.abort();
        throw error;
      }
      return receiver.end();
    });
  }
}

/** What the dispatcher makes of an answer or of a fault. */
async function replyOf(run: () => Answer | Promise<Answer>): Promise<Reply> {
  try {
    const answer = await run();
    return { status: answer.status, body: "body" in answer ? answer.body : undefined, answer };
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    return { status: error.status, body: error.toBody() };
  }
}

function callOf(sent: Sent): Call {
  const { transport = "usb", chunk, total, body = "", host } = sent;
  const named = { chunk, total };
  const parameters = new Map<string, string>();
  for (const [name, value] of Object.entries(named))
    if (value !== undefined) parameters.set(name, `${value}`);
  const bodyByteLength = "bodyByteLength" in sent ? sent.bodyByteLength : body.length;
  const request = {
    transport,
    isOwner: transport === "usb",
    method: "POST",
    path: "/api/apps/install",
    parameters,
    bodyByteLength,
    ...(host !== undefined && { host }),
  };
  return { request, parameters: new Parameters(CHUNK_PARAMETERS, parameters) };
}
