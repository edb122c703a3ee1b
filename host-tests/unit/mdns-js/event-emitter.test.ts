/** The event emitter of browsers acts as Node's, of which the package's browsers are. */
import { EventEmitter as NodeEmitter } from "node:events";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { EventEmitter } from "../../../device/mdns-js/event-emitter.js";

type Events = { readonly [event: string]: readonly unknown[] };

/** What both emitters have. */
type Emitter = Pick<
  EventEmitter<Events>,
  | "on"
  | "addListener"
  | "prependListener"
  | "once"
  | "prependOnceListener"
  | "off"
  | "removeListener"
  | "removeAllListeners"
  | "emit"
  | "listenerCount"
  | "listeners"
  | "eventNames"
>;

const ADDS = ["on", "addListener", "prependListener", "once", "prependOnceListener"] as const;
const REMOVES = ["off", "removeListener"] as const;
const LISTENERS = 4;

/** One call of an emitter. `inside`: calls that the listener makes when it is called. */
type Step =
  | {
      readonly call: (typeof ADDS)[number] | (typeof REMOVES)[number];
      readonly event: string;
      readonly listener: number;
    }
  | { readonly call: "removeAllListeners"; readonly event: string | undefined }
  | { readonly call: "emit"; readonly event: string };

const event = fc.constantFrom("update", "ready", "down");
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ call: fc.constantFrom(...ADDS), event, listener: fc.nat(LISTENERS - 1) }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ call: fc.constantFrom(...REMOVES), event, listener: fc.nat(LISTENERS - 1) }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      call: fc.constant("removeAllListeners" as const),
      event: fc.option(event, { nil: undefined }),
    }),
  },
  { weight: 4, arbitrary: fc.record({ call: fc.constant("emit" as const), event }) },
);

/** Makes the calls, and returns what can be seen of them. `inside`: what each listener does, call by call. */
function run(emitter: Emitter, steps: readonly Step[], inside: readonly (readonly Step[])[]): unknown[] {
  const seen: unknown[] = [];
  const left = inside.map((calls) => [...calls]);
  const listeners = Array.from(
    { length: LISTENERS },
    (_, index) =>
      function (this: unknown, ...data: unknown[]) {
        seen.push([`listener ${index}`, this === emitter, data]);
        const next = left[index]?.shift();
        if (next) take(next);
      },
  );
  const take = (one: Step): void => {
    if (one.call === "emit") seen.push(emitter.emit(one.event, seen.length, "data"));
    else if (one.call === "removeAllListeners") emitter.removeAllListeners(...(one.event ? [one.event] : []));
    else seen.push(emitter[one.call](one.event, listeners[one.listener] as () => void) === emitter);
    const indices = emitter
      .listeners(one.event ?? "update")
      .map((listener) => listeners.indexOf(listener as never));
    seen.push(indices, emitter.listenerCount(one.event ?? "update"), [...emitter.eventNames()].sort());
  };
  for (const one of steps) take(one);
  return seen;
}

describe("an event emitter", () => {
  test("acts as Node's, whatever listeners call while they are called", () => {
    const steps = fc.array(step, { maxLength: 20 });
    const inside = fc.array(fc.array(step, { maxLength: 3 }), { minLength: LISTENERS, maxLength: LISTENERS });
    fc.assert(
      fc.property(steps, inside, (calls, within) => {
        const nodes = new NodeEmitter().setMaxListeners(0) as unknown as Emitter;
        expect(run(new EventEmitter<Events>(), calls, within)).toEqual(run(nodes, calls, within));
      }),
      { numRuns: 3000 },
    );
  });

  test("takes functions alone", () => {
    for (const add of ADDS)
      for (const emitter of [new EventEmitter<Events>(), new NodeEmitter() as unknown as Emitter])
        expect(() => emitter[add]("update", undefined as unknown as () => void)).toThrow(TypeError);
  });

  test("passes on what a listener throws, after which a once listener is gone", () => {
    for (const emitter of [new EventEmitter<Events>(), new NodeEmitter() as unknown as Emitter]) {
      const heard: string[] = [];
      emitter.once("update", () => {
        throw new Error("no");
      });
      emitter.on("update", () => heard.push("second"));
      expect(() => emitter.emit("update")).toThrow("no");
      expect(heard).toEqual([]);
      expect(emitter.emit("update")).toBe(true);
      expect(heard).toEqual(["second"]);
    }
  });

  test("throws an error without a listener", () => {
    for (const emitter of [new EventEmitter<Events>(), new NodeEmitter() as unknown as Emitter]) {
      expect(() => emitter.emit("error", new RangeError("of the port"))).toThrow(
        new RangeError("of the port"),
      );
      expect(() => emitter.emit("error", "text")).toThrow(/text/);
      expect(emitter.emit("update")).toBe(false);
      emitter.on("error", () => undefined);
      expect(emitter.emit("error", new Error("heard"))).toBe(true);
    }
  });
});
