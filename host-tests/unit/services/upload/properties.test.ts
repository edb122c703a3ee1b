/**
 * Whatever clients do, in whatever order, `Uploads` answers as its model does, and each file ends once,
 * with its own bytes (docs/spec/uploads.md#upload-resume).
 */
import fc from "fast-check";
import { expect, test } from "vitest";
import { Fault } from "../../../../protocol/fault.js";
import { inTier } from "../../../tier.js";
import { type Client, type Expected, REFUSED_BYTE, type SentChunk, UploadModel } from "./upload-model.js";
import { type Sent, Uploading } from "./uploading.js";

type Step =
  | { readonly do: "chunk"; readonly client: Client; readonly chunk: SentChunk }
  | { readonly do: "break chunk"; readonly client: Client; readonly chunk: SentChunk }
  | { readonly do: "next"; readonly client: Client; readonly body: string }
  | { readonly do: "again"; readonly client: Client }
  | { readonly do: "file"; readonly kind: Client["kind"]; readonly body: string }
  | { readonly do: "break file"; readonly kind: Client["kind"]; readonly body: string }
  | { readonly do: "wait"; readonly milliseconds: number }
  | { readonly do: "pull cable" };

const { constant, constantFrom, record } = fc;
const kind = constantFrom<Client["kind"]>("apps", "firmware");
const client = record({ kind, transport: constantFrom<Client["transport"]>("http", "usb") });
const count = fc.integer({ min: 1, max: 4 });
/** Four of the longest are too much for a file. */
const body = constantFrom("a", "b", "cd", REFUSED_BYTE, "x".repeat(3072));
const chunk = record({ number: count, total: count, body });
const milliseconds = constantFrom(1, 15_000, 29_999, 30_000);

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 2, arbitrary: record({ do: constant("chunk" as const), client, chunk }) },
  { weight: 1, arbitrary: record({ do: constant("break chunk" as const), client, chunk }) },
  { weight: 6, arbitrary: record({ do: constant("next" as const), client, body }) },
  { weight: 3, arbitrary: record({ do: constant("again" as const), client }) },
  { weight: 1, arbitrary: record({ do: constant("file" as const), kind, body }) },
  { weight: 1, arbitrary: record({ do: constant("break file" as const), kind, body }) },
  { weight: 1, arbitrary: record({ do: constant("wait" as const), milliseconds }) },
  { weight: 1, arbitrary: constant({ do: "pull cable" } as const) },
);

/** A service and its model, taken through the same steps. */
class Pair {
  readonly #model = new UploadModel();
  readonly service = new Uploading();

  constructor() {
    for (const target of [this.service.apps, this.service.firmware])
      target.onWrite = (text) => {
        if (text.includes(REFUSED_BYTE)) throw new Fault("storage_full", "No space is left");
      };
  }

  async take(step: Step): Promise<void> {
    switch (step.do) {
      case "chunk":
        return this.#send(step.client, step.chunk);
      case "next":
        return this.#send(step.client, { ...this.#model.next(step.client), body: step.body });
      case "again":
        return this.#send(step.client, this.#model.again(step.client));
      case "break chunk":
        return this.#break(
          this.#chunk(step.client, step.chunk),
          this.#model.breakChunk(step.client, step.chunk, 2),
        );
      case "file":
        return this.#compare(this.#file(step.kind, step.body), this.#model.file(step.body));
      case "break file":
        return this.#break(this.#file(step.kind, step.body), this.#model.breakFile());
      case "wait":
        this.service.clock.advance(step.milliseconds);
        return this.#model.pass(step.milliseconds);
      case "pull cable":
        this.service.uploads.disconnected("usb");
        return this.#model.pullCable();
    }
  }

  #send(client: Client, chunk: SentChunk): Promise<void> {
    return this.#compare(this.#chunk(client, chunk), this.#model.chunk(client, chunk));
  }

  async #compare(sent: Sent, expected: Expected): Promise<void> {
    const { status, body } = await this.service.send(sent);
    if (expected.code === undefined) expect({ status, body }).toEqual(expected);
    else expect({ status, body }).toMatchObject({ status: expected.status, body: refusalOf(expected) });
  }

  /** Half of the body comes. */
  #break(sent: Sent, expected: Expected | undefined): void {
    if (expected)
      expect(() => this.service.open(sent)).toThrow(expect.objectContaining({ code: expected.code }));
    else {
      const receiver = this.service.open({ ...sent, bodyByteLength: 4 });
      receiver.write(Buffer.from("mo"));
      receiver.abort();
    }
  }

  #chunk({ kind, transport }: Client, { number, total, body }: SentChunk): Sent {
    return { target: this.service[kind], transport, chunk: number, total, body };
  }

  #file(kind: Client["kind"], body: string): Sent {
    return { target: this.service[kind], transport: "http", body };
  }
}

function refusalOf({ code, expected }: Expected) {
  return { error: code, ...(expected !== undefined && { expected }) };
}

test("Uploads answers like its model, has at most one file open, and leaves nothing open", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 40, size: "max" }), async (steps) => {
      const pair = new Pair();
      const { apps, firmware, clock } = pair.service;
      for (const step of steps) {
        await pair.take(step);
        const open = [...apps.files, ...firmware.files].filter(({ state }) => state === "open");
        expect(open.length).toBeLessThanOrEqual(1);
        expect(clock.timerCount).toBeLessThanOrEqual(1);
      }
      clock.advance(30_000);
      expect([...apps.files, ...firmware.files].filter(({ state }) => state === "open")).toEqual([]);
      expect(clock.timerCount).toBe(0);
    }),
    { numRuns: inTier({ quick: 400, sample: 2000, nightly: 2000 }) },
  );
});
