import assert from "node:assert/strict";
import fc from "fast-check";
import { describe, test } from "vitest";
import type { RolloutDeviceState, RolloutState } from "../../../../hub/database/schema.js";
import {
  advance,
  type Decision,
  type DeviceCounts,
  isOver,
  type Rollout,
  type RolloutEvent,
  type RolloutRequestEvent,
  type RolloutStep,
  stepEnds,
} from "../../../../hub/rollouts/rollout-state.js";
import { Fault } from "../../../../protocol/fault.js";

const NONE: DeviceCounts = { waiting: 0, sent: 0, succeeded: 0, failed: 0, cancelled: 0 };
const STEPS: readonly RolloutStep[] = [
  { percent: 10, success_percent: 90, error_percent: 20 },
  { percent: 100, success_percent: 100, error_percent: 50 },
];

/** Ten devices in the first step, ninety in the second. */
function rolloutOf(first: Partial<DeviceCounts>, second: Partial<DeviceCounts> = { waiting: 90 }): Rollout {
  const step = second.waiting === 90 ? 0 : 1;
  const counts = [
    { ...NONE, ...first },
    { ...NONE, ...second },
  ];
  return { state: "running", step, steps: STEPS, counts };
}

const LOOKS: readonly (readonly [string, Rollout, Partial<Decision>])[] = [
  ["begins with its first step", rolloutOf({ waiting: 10 }), { state: "running", step: 0, sentSteps: 1 }],
  ["waits for its first step", rolloutOf({ sent: 2, succeeded: 8 }), { step: 0, sentSteps: 1 }],
  [
    "continues once enough devices have succeeded",
    rolloutOf({ sent: 1, succeeded: 9 }),
    { step: 1, sentSteps: 2 },
  ],
  ["continues despite a failure", rolloutOf({ succeeded: 9, failed: 1 }), { step: 1, sentSteps: 2 }],
  [
    "tolerates failures up to its threshold",
    rolloutOf({ sent: 8, failed: 2 }),
    { state: "running", step: 0 },
  ],
  [
    "stops after failures over its threshold",
    rolloutOf({ sent: 7, failed: 3 }),
    {
      state: "stopped",
      cancelsRest: true,
      sentSteps: 0,
      reason: "3 of 10 devices of step 1 have failed, which is more than 20 %",
    },
  ],
  [
    "stops if it can never continue",
    rolloutOf({ succeeded: 8, failed: 2 }),
    {
      state: "stopped",
      cancelsRest: true,
      reason: "8 of 10 devices of step 1 have succeeded, which is less than 90 %",
    },
  ],
  [
    "stops for failures of an earlier step, too",
    rolloutOf({ succeeded: 9, failed: 0, sent: 0, cancelled: 0 }, { sent: 40, failed: 50 }),
    { state: "stopped" },
  ],
  [
    "does not count devices that take no part",
    rolloutOf({ succeeded: 1, cancelled: 9 }),
    { state: "running", step: 1, sentSteps: 2 },
  ],
  ["passes a step whose devices were all cancelled", rolloutOf({ cancelled: 10 }), { step: 1, sentSteps: 2 }],
  [
    "is complete once every device has ended, whatever the results of the last step",
    rolloutOf({ succeeded: 10 }, { succeeded: 50, failed: 40 }),
    { state: "completed", cancelsRest: false, reason: null },
  ],
  [
    "is complete if every device was released",
    rolloutOf({ cancelled: 10 }, { cancelled: 90 }),
    { state: "completed" },
  ],
];

describe("A rollout", () => {
  for (const [name, rollout, expected] of LOOKS)
    test(name, () => {
      for (const [key, value] of Object.entries(expected))
        assert.equal(advance(rollout, "refresh")[key as keyof Decision], value, key);
    });

  test("starts no step while paused, and starts it when resumed", () => {
    const rollout = rolloutOf({ succeeded: 10 });
    const paused = advance(rollout, "pause");
    assert.deepEqual([paused.state, paused.step, paused.sentSteps], ["paused", 0, 0]);
    const still = advance({ ...rollout, state: "paused" }, "refresh");
    assert.deepEqual([still.state, still.step, still.sentSteps], ["paused", 0, 0]);
    const resumed = advance({ ...rollout, state: "paused" }, "resume");
    assert.deepEqual([resumed.state, resumed.step, resumed.sentSteps], ["running", 1, 2]);
  });

  test("stops while paused, too", () => {
    assert.equal(
      advance({ ...rolloutOf({ sent: 7, failed: 3 }), state: "paused" }, "refresh").state,
      "stopped",
    );
  });

  for (const state of ["running", "paused"] as const)
    test(`stops if its time is over while ${state}, and cancels the rest`, () => {
      const { cancelsRest, reason, sentSteps, ...rest } = advance(
        { ...rolloutOf({ waiting: 5, sent: 5 }), state },
        "expire",
      );
      assert.deepEqual([rest.state, cancelsRest, sentSteps], ["stopped", true, 0]);
      assert.ok(reason);
    });

  test("that has ended does not expire", () => {
    for (const state of ["stopped", "cancelled", "completed"] as const)
      assert.equal(advance({ ...rolloutOf({ succeeded: 10 }), state }, "expire").state, state);
  });

  const STATES: readonly RolloutState[] = ["running", "paused", "stopped", "cancelled", "completed"];
  const FITS: Readonly<Record<RolloutRequestEvent, readonly RolloutState[]>> = {
    pause: ["running"],
    resume: ["paused"],
    cancel: ["running", "paused"],
  };
  for (const [event, fitting] of Object.entries(FITS))
    for (const state of STATES.filter((each) => !fitting.includes(each)))
      test(`in state ${state} rejects ${event}`, () => {
        const rollout = { ...rolloutOf({ waiting: 10 }), state };
        assert.throws(
          () => advance(rollout, event as RolloutEvent),
          (fault) => fault instanceof Fault && fault.code === "rollout_state",
        );
      });
});

describe("The ends of steps", () => {
  const steps = (...percents: number[]) =>
    percents.map((percent) => ({ percent, success_percent: 100, error_percent: 100 }));

  test("are rounded up, so that the first step of a small rollout has a device", () => {
    assert.deepEqual(stepEnds(steps(1, 50, 100), 3), [1, 2, 3]);
    assert.deepEqual(stepEnds(steps(10, 50, 100), 1), [1, 1, 1]);
  });

  test("are exact where the percentage is", () => {
    for (let percent = 1; percent <= 100; percent++)
      assert.deepEqual(stepEnds(steps(percent), 1000), [percent * 10]);
  });
});

/** Devices in their turn, and a rollout that is done to them as a hub would. */
class World {
  readonly devices: RolloutDeviceState[];
  readonly steps: readonly RolloutStep[];
  readonly ends: readonly number[];
  state: RolloutState = "running";
  step = 0;

  constructor(devices: number, steps: readonly RolloutStep[]) {
    this.devices = new Array(devices).fill("waiting");
    this.steps = steps;
    this.ends = stepEnds(steps, devices);
  }

  get rollout(): Rollout {
    return { state: this.state, step: this.step, steps: this.steps, counts: this.counts };
  }

  get counts(): DeviceCounts[] {
    const counts = this.steps.map(() => ({ ...NONE }) as Record<RolloutDeviceState, number>);
    for (const [at, state] of this.devices.entries())
      (counts[this.ends.findIndex((end) => at < end)] as Record<RolloutDeviceState, number>)[state]++;
    return counts;
  }

  move(from: readonly RolloutDeviceState[], to: RolloutDeviceState, end: number): void {
    for (let at = 0; at < end; at++)
      if (from.includes(this.devices[at] as RolloutDeviceState)) this.devices[at] = to;
  }

  /** @returns whether the rollout took the event */
  do(event: RolloutEvent): boolean {
    try {
      const { state, step, sentSteps, cancelsRest } = advance(this.rollout, event);
      Object.assign(this, { state, step });
      this.move(["waiting"], "sent", sentSteps === 0 ? 0 : (this.ends[sentSteps - 1] as number));
      if (cancelsRest) this.move(["waiting", "sent"], "cancelled", this.devices.length);
      return true;
    } catch (error) {
      if (error instanceof Fault) return false;
      throw error;
    }
  }
}

const arbitrarySteps = fc
  .tuple(
    fc.uniqueArray(fc.integer({ min: 1, max: 99 }), { maxLength: 4 }),
    fc.array(fc.tuple(fc.integer({ min: 0, max: 100 }), fc.integer({ min: 0, max: 100 })), {
      minLength: 5,
      maxLength: 5,
    }),
  )
  .map(([percents, shares]) =>
    [...percents.sort((a, b) => a - b), 100].map((percent, at) => {
      const [success_percent, error_percent] = shares[at] as [number, number];
      return { percent, success_percent, error_percent };
    }),
  );

type Move = { readonly event: RolloutEvent } | { readonly device: number; readonly ends: RolloutDeviceState };

const arbitraryMoves = fc.array(
  fc.oneof(
    { weight: 3, arbitrary: fc.record({ event: fc.constant<RolloutEvent>("refresh") }) },
    {
      weight: 1,
      arbitrary: fc.record({ event: fc.constantFrom<RolloutEvent>("pause", "resume", "cancel") }),
    },
    {
      weight: 8,
      arbitrary: fc.record({
        device: fc.nat(),
        ends: fc.constantFrom<RolloutDeviceState>("succeeded", "succeeded", "failed", "cancelled"),
      }),
    },
  ),
  { maxLength: 80 },
);

function endDevice(world: World, { device, ends }: Extract<Move, { device: number }>): void {
  const at = device % world.devices.length;
  const state = world.devices[at];
  if (state === "sent" || (state === "waiting" && ends === "cancelled")) world.devices[at] = ends;
}

function make(world: World, move: Move): void {
  if ("event" in move) world.do(move.event);
  else endDevice(world, move);
}

/** What is true after every single move. */
function checkStep(before: World, after: World, move: Move): void {
  const firstWaiting = after.ends[after.step] as number;
  for (let at = firstWaiting; at < after.devices.length; at++)
    assert.ok(
      ["waiting", "cancelled"].includes(after.devices[at] as string),
      `device ${at} is sent something before its step`,
    );
  for (const [at, state] of before.devices.entries())
    if (state !== "waiting" && state !== "sent") assert.equal(after.devices[at], state, "ends exactly once");
  assert.ok(after.step >= before.step, "no step begins again");
  if (isOver(before.state)) assert.equal(after.state, before.state, "what is over stays over");
  if (isOver(after.state) && "event" in move)
    assert.ok(
      !after.devices.some((state) => state === "waiting" || state === "sent"),
      "nothing is left open",
    );
}

/** Checks that commands are newly sent only by a running rollout, within the thresholds of its steps. */
function checkBeginnings(before: World, after: World): void {
  const newlySent = after.devices.some((state, at) => state === "sent" && before.devices[at] === "waiting");
  if (!newlySent) return;
  assert.equal(after.state, "running", "nothing is sent but by a running rollout");
  for (let at = 0; at <= before.step; at++) {
    const { waiting, sent, succeeded, failed } = before.counts[at] as DeviceCounts;
    const { error_percent } = before.steps[at] as RolloutStep;
    assert.ok(
      failed * 100 <= error_percent * (waiting + sent + succeeded + failed),
      "past an error threshold",
    );
  }
  for (let at = before.step; at < after.step; at++) {
    const { sent, succeeded, failed } = before.counts[at] as DeviceCounts;
    const { success_percent } = before.steps[at] as RolloutStep;
    assert.ok(succeeded * 100 >= success_percent * (sent + succeeded + failed), "before enough succeeded");
  }
}

function copyOf(world: World): World {
  const copy = new World(world.devices.length, world.steps);
  copy.devices.splice(0, copy.devices.length, ...world.devices);
  return Object.assign(copy, { state: world.state, step: world.step });
}

describe("After any events in any order", () => {
  const worlds = fc.tuple(fc.integer({ min: 1, max: 30 }), arbitrarySteps, arbitraryMoves);

  test("a rollout never sends beyond its step, never continues past a threshold, and ends every device once", () => {
    fc.assert(
      fc.property(worlds, ([devices, steps, moves]) => {
        const world = new World(devices, steps);
        for (const move of moves) {
          const before = copyOf(world);
          make(world, move);
          checkStep(before, world, move);
          checkBeginnings(before, world);
        }
      }),
      { numRuns: 1000 },
    );
  });

  test("a rollout that is not paused ends once all devices have answered", () => {
    fc.assert(
      fc.property(worlds, ([devices, steps, moves]) => {
        const world = new World(devices, steps);
        for (const move of moves) make(world, move);
        world.do("resume");
        for (let round = 0; round <= 2 * steps.length && !isOver(world.state); round++) {
          world.do("refresh");
          world.move(["sent"], "succeeded", devices);
        }
        assert.ok(isOver(world.state), `it is still ${world.state}`);
      }),
      { numRuns: 1000 },
    );
  });
});
