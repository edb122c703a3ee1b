/**
 * The heap of the management VM in every size (docs/adr/0019): the console serves each request or answers 503 with
 * Retry-After, and below a minimum it does not start. `npm run test:arena` covers all sizes in steps of 1 KiB
 * (docs/spec/memory.md#heap-size).
 */
import { expect, test } from "vitest";
import { type AppConsole, startAppConsole } from "../../hosts/app-console.js";
import { useModestly } from "../../hosts/modest-use.js";
import { isMissing } from "../../hosts/peers.js";
import { ConsoleDidNotStart } from "../../hosts/simulator.js";
import { inTier } from "../../tier.js";

/** The limit in simulator/native/arena-size.c. */
const LEAST_KIB = 72;
const BOARD_KIB = 128;

const SOME_KIB = [LEAST_KIB, 79, 88, 97, 110, BOARD_KIB];
const sizes = inTier({
  quick: SOME_KIB,
  sample: SOME_KIB,
  nightly: Array.from({ length: BOARD_KIB - LEAST_KIB + 1 }, (_, index) => LEAST_KIB + index),
});

const start = (kib: number): Promise<AppConsole> =>
  startAppConsole({ variant: "m32", environment: { SVC_SIM_ARENA_KIB: `${kib}` } });

test.skipIf(isMissing("multilib")).each(sizes)(
  "With a heap of %i KiB the console answers or returns 503, and does not restart",
  async (kib) => {
    const console = await start(kib);
    const told = [
      ...(await useModestly(console, { withUsb: true })),
      ...(await useModestly(console)), // again, over the garbage of the first use
    ];
    const unexpected = told.filter(({ status, hasRetryAfter, error }) => {
      const isWithoutApp = error === "app_not_found" || error === "app_stopped";
      return status !== 200 && !isWithoutApp && !(status === 503 && hasRetryAfter);
    });
    expect(unexpected).toEqual([]);
    if (kib === BOARD_KIB) expect(told.filter(({ status }) => status !== 200)).toEqual([]);
    expect(console.stderr.filter((line) => /memory full|reset reason is crash/.test(line))).toEqual([]);
    expect(await console.stop()).toBe(0);
  },
);

test.skipIf(isMissing("multilib"))("A heap below the minimum is rejected with a message", async () => {
  const refusal = await start(LEAST_KIB - 1).catch((error: unknown) => error);
  expect(refusal).toBeInstanceOf(ConsoleDidNotStart);
  const { status, stderr } = refusal as ConsoleDidNotStart;
  expect([status, stderr.at(-1)]).toEqual([
    2,
    `console: a heap of ${LEAST_KIB - 1} KiB is too small: it takes ${LEAST_KIB} KiB`,
  ]);
});
