import { expect, test } from "vitest";
import { largeModule } from "../../bench/large-module.js";
import { installOverHttp } from "../../hosts/app-clients.js";
import { startAppConsole } from "../../hosts/app-console.js";
import { packageOf } from "../../hosts/app-files.js";
import { holdLongHeads } from "../../hosts/long-heads.js";
import { heapVariants } from "../../hosts/simulator.js";

/** Of the eight connections one is the install's, and one belongs to an idle client that stays connected. */
const OTHERS = 6;

test.each(heapVariants)(
  "A package of 1 MiB is installed while six connections hold maximal request heads, on a console built for %s",
  async (variant) => {
    const console = await startAppConsole({ variant });
    try {
      const heads = await holdLongHeads(console.http, OTHERS);
      const file = packageOf(await largeModule(), { memory_quota: 4 * 1024 * 1024 });
      const { status, body } = await installOverHttp(console, {
        file,
        signature: console.publisher.sign(file),
      });
      heads.close();
      expect([status, body.name]).toEqual([200, "tetris"]);
    } finally {
      await console.stop();
    }
  },
);
