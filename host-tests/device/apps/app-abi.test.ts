/** What apps rely on (host-tests/contracts/app-abi.ts), on a console. */
import { setTimeout } from "node:timers/promises";
import { crc32 } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { APP_CASES, CONTRACT_APP } from "../../contracts/app-abi.js";
import { installOverHttp } from "../../hosts/app-clients.js";
import { type AppConsole, startAppConsole } from "../../hosts/app-console.js";
import { contractPackage, relativeEnding } from "../../hosts/contract-app.js";
import { askHttp } from "../../hosts/http-client.js";
import { readPng } from "../../hosts/read-png.js";

let console: AppConsole;
beforeAll(async () => {
  console = await startAppConsole();
});
afterAll(async () => {
  expect(await console.stop()).toBe(0);
});

const A = 1 << 4;
/** The app looks every 5 ms. */
const PRESS_MS = 50;
const press = (bits: number) => askHttp(`${console.http}/api/buttons?pressed=${bits}`, { method: "POST" });

/** Starts the app, and waits for a line of its log, or until it has ended. */
async function startUntil(line: RegExp) {
  const from = console.stderr.length;
  expect(await console.app("start", CONTRACT_APP)).toMatchObject({ status: 200 });
  await console.waitForLine(line, from);
  return from;
}

const ENDED = new RegExp(`"${CONTRACT_APP}" ended: (.*)$`);

async function ending(from: number): Promise<string> {
  return ENDED.exec(await console.waitForLine(ENDED, from))?.[1] ?? "";
}

const linesFrom = (from: number) =>
  console.stderr.slice(from).flatMap((line) => line.split(`app/${CONTRACT_APP}: `).slice(1));

describe("An app on a console", () => {
  test.each(APP_CASES)("$name", async (each) => {
    const file = await contractPackage(each);
    const signature = console.publisher.sign(file);
    expect(await installOverHttp(console, { file, signature })).toMatchObject({ status: 200 });
    try {
      if (each.ends === undefined) {
        await startUntil(/: shown$/);
        const answer = await fetch(`${console.http}/api/screen`);
        expect(crc32(readPng(new Uint8Array(await answer.arrayBuffer())).rgb)).toBe(each.screen);
        return;
      }
      const from = await startUntil(each.isPressed ? /: press$/ : ENDED);
      if (each.isPressed) {
        await press(A);
        await setTimeout(PRESS_MS);
        await press(0);
      }
      const ended = await relativeEnding(await ending(from), each);
      if (typeof each.ends === "string") expect(ended).toBe(each.ends);
      else expect(ended).toMatch(each.ends);
      if (each.lines) expect(linesFrom(from)).toEqual(each.lines);
      if (each.endsAgain !== undefined) expect(await ending(await startUntil(ENDED))).toBe(each.endsAgain);
    } finally {
      await console.app("stop", CONTRACT_APP);
      await console.app("uninstall", CONTRACT_APP);
    }
  });
});
