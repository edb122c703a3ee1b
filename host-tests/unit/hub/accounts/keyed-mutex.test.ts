import { expect, test } from "vitest";
import { KeyedMutex } from "../../../../hub/accounts/accounts.js";

test("KeyedMutex serves one key in order, also after a failed holder", async () => {
  const turns = new KeyedMutex();
  const seen: string[] = [];
  const work = (name: string) => async () => {
    seen.push(`${name} begins`);
    await new Promise(setImmediate);
    seen.push(`${name} ends`);
    if (name === "first") throw new Error("it failed");
    return name;
  };
  const first = turns.run("a", work("first"));
  const second = turns.run("a", work("second"));
  await expect(first).rejects.toThrow("it failed");
  expect(await second).toBe("second");
  expect(seen).toEqual(["first begins", "first ends", "second begins", "second ends"]);
});

test("KeyedMutex serves different keys at the same time", async () => {
  const turns = new KeyedMutex();
  let finish = () => {};
  const until = new Promise<void>((resolve) => {
    finish = resolve;
  });
  const held = turns.run("a", () => until);
  expect(await turns.run("b", async () => "done")).toBe("done");
  finish();
  await held;
});
