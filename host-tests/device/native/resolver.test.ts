import { expect, test } from "vitest";
import { startConsole } from "../../hosts/simulator.js";

const PROGRAM = `
import resolver from "svc/resolver";
import system from "svc/system";

const say = (text) => trace(text + "\\n");
const NAMES = 20;

export default function main() {
  const boot = system.resetReason;
  let found = 0;
  for (let index = 0; index < NAMES; index++)
    resolver.resolve("LocalHost", () => {
      say("found after " + boot);
      if (++found === NAMES) say("all found");
    });
  system.ready({ name: "Console-TEST", httpPort: 0, wsPort: 0 });
  if (boot !== "software") system.restart();
}
`;

test("A restart cancels pending lookups, and lookups after it are answered", async () => {
  const console = await startConsole({ image: PROGRAM });
  await console.waitForLine(/^all found$/);
  expect(console.stderr.filter((line) => line !== "found after software")).toEqual(["all found"]);
  expect(await console.stop()).toBe(0);
});
