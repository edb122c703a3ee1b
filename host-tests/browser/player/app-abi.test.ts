/** What apps rely on (host-tests/contracts/app-abi.ts), in the player. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { APP_CASES } from "../../contracts/app-abi.js";
import { contractPackage, relativeEnding } from "../../hosts/contract-app.js";
import { Chromium, missesChromium } from "../hosts/chromium.js";
import { PlayerPage } from "../hosts/player-page.js";

let chromium: Chromium;
let player: PlayerPage;
beforeAll(async () => {
  chromium = await Chromium.launch();
  player = await PlayerPage.open(chromium.browser);
});
afterAll(async () => {
  await player?.close();
  await chromium?.close();
});

describe.skipIf(missesChromium)("An app in the player", () => {
  test.each(APP_CASES)("$name", async (each) => {
    await player.forgetValues();
    const file = await contractPackage(each);
    player.play(file);
    if (each.ends === undefined) {
      await player.logged("shown");
      await expect.poll(() => player.screen()).toBe(each.screen); // the page shows it at its next frame
      return;
    }
    if (each.isPressed) {
      await player.logged("press");
      await player.page.getByRole("application").focus();
      await player.page.keyboard.press("z", { delay: 50 });
    }
    const ended = await relativeEnding(await player.ending(), each);
    if (typeof each.ends === "string") expect(ended).toBe(each.ends);
    else expect(ended).toMatch(each.ends);
    if (each.lines) expect(player.lines.map(({ text }) => text)).toEqual(each.lines);
    if (each.endsAgain !== undefined) expect((await player.run(file)).message).toBe(each.endsAgain);
  });
});
