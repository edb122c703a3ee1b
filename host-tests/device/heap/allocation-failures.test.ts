/**
 * Fails each allocation of our C and of the engine in turn, from an HTTP request to an install ordered by the hub
 * (docs/adr/0019): the affected work is rejected or loses its connection, and the next attempt succeeds.
 * `npm run test:allocations` fails every allocation; here every n-th (docs/spec/memory.md#refused-work).
 */
import { setTimeout as pause } from "node:timers/promises";
import { expect, test } from "vitest";
import { startAppConsole } from "../../hosts/app-console.js";
import { askHeap } from "../../hosts/heap-report.js";
import { useModestly } from "../../hosts/modest-use.js";
import { heapVariants, usualVariant } from "../../hosts/simulator.js";
import { SmallHub } from "../../hosts/small-hub.js";
import { inTier } from "../../tier.js";

const FAILED = /^console: an allocation fails, as it was asked to$/;

/** One use allocates some hundred times; neighbouring allocations mostly serve the same purpose. */
const STEP = inTier({ quick: 5, sample: 5, nightly: 1 });

/** A signal arms the next number; another signal skips it. */
const SIGNALS_MS = 5;

test.each(heapVariants.includes("m32") ? ["m32" as const] : [usualVariant])(
  "No failed allocation ends the console, hangs it, or leaks (%s)",
  async (variant) => {
    const hub = await SmallHub.start();
    const environment = { SVC_SIM_ALLOCATION_FAILURE: "1" };
    const console = await startAppConsole({ variant, environment, flags: ["--hub", hub.url] });
    await hub.connected();
    await useModestly(console, { hub, withUsb: true });
    const before = (await askHeap(console)).live_bytes;
    let failures = 0;
    let misses = 0;
    for (let number = 1; ; number += STEP) {
      const from = console.stderr.length; // what the console does by itself may be the first to allocate
      for (let signal = 0; signal < (number === 1 ? 1 : STEP); signal++) {
        process.kill(console.pid, "SIGUSR2");
        await pause(SIGNALS_MS);
      }
      const told = await useModestly(console, { hub, withUsb: true });
      const lines = console.stderr.slice(from);
      expect([number, lines.filter((line) => /reset reason|memory full|unhandled/.test(line))]).toEqual([
        number,
        [],
      ]);
      if (!lines.some((line) => FAILED.test(line))) {
        if (++misses === 2) break; // one alone was of what the console does by itself, before the use
        continue;
      }
      misses = 0;
      failures++;
      // The failed request, and its consequences: an app that was not installed cannot be started.
      expect([number, told.filter(({ status }) => status !== 200).length <= 4]).toEqual([number, true]);
    }
    expect(failures).toBeGreaterThan(10);
    await useModestly(console, { hub, withUsb: true }); // the failure that is still armed may come here
    expect((await useModestly(console, { hub, withUsb: true })).every(({ status }) => status === 200)).toBe(
      true,
    );
    const after = (await askHeap(console)).live_bytes;
    expect(after - before).toBeLessThan(4096);
    expect(await console.stop()).toBe(0);
    await hub.close();
  },
);
