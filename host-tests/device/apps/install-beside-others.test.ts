import { expect, test } from "vitest";
import { largeModule } from "../../bench/large-module.js";
import { installOverHttp } from "../../hosts/app-clients.js";
import { startAppConsole } from "../../hosts/app-console.js";
import { packageOf } from "../../hosts/app-files.js";
import { holdLongHeads } from "../../hosts/long-heads.js";

/** The eighth connection is the install's. */
const OTHERS = 7;

test("A package of 1 MiB is installed while every other connection holds a head as long as it may be", async () => {
  const console = await startAppConsole();
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
});
