/** Requests that are granted, wait, or are rejected. */
import { assert, expect, test } from "vitest";
import { FairSemaphore, type FairSemaphoreOptions } from "../../../../hub/files/fair-semaphore.js";

const open = (options: Partial<FairSemaphoreOptions> = {}) =>
  new FairSemaphore({
    capacity: 4,
    share: 2,
    queueLimit: 4,
    queueShare: 2,
    timeoutMs: 60_000,
    createError: () => new Error("busy"),
    ...options,
  });

/** Requests places, and records whose request was granted. */
function asking(places: FairSemaphore) {
  const inside: string[] = [];
  const ask = async (owner: string, size = 1, signal?: AbortSignal) => {
    const leave = await places.take({ owner, size }, signal);
    inside.push(owner);
    return leave;
  };
  return { inside, ask };
}

test("each owner can hold up to its share at once", async () => {
  const { inside, ask } = asking(open());
  await Promise.all([ask("ada"), ask("ada"), ask("bob"), ask("bob")]);
  assert.deepEqual(inside, ["ada", "ada", "bob", "bob"]);
});

test("an owner that holds its full share waits without delaying others", async () => {
  const { inside, ask } = asking(open());
  const leave = await ask("ada", 2);
  const waiting = ask("ada", 1);
  await ask("bob");
  assert.deepEqual(inside, ["ada", "bob"]);
  leave();
  await waiting;
  assert.deepEqual(inside, ["ada", "bob", "ada"]);
});

test("a waiting request is not overtaken by a smaller one", async () => {
  const { inside, ask } = asking(open());
  const leave = await ask("ada", 2);
  await ask("bob", 1);
  const large = ask("eve", 2);
  const small = ask("joe", 1);
  leave();
  await Promise.all([large, small]);
  assert.deepEqual(inside, ["ada", "bob", "eve", "joe"]);
});

test("a request larger than the whole is granted alone", async () => {
  const { inside, ask } = asking(open());
  const leave = await ask("ada", 100);
  const next = ask("bob");
  assert.deepEqual(inside, ["ada"]);
  leave();
  leave(); // which gives nothing back twice
  await next;
});

test("the numbers of waiting requests, and of those per owner, are limited", async () => {
  const { ask } = asking(open());
  await ask("ada", 100);
  const waiting = [ask("bob"), ask("bob"), ask("eve"), ask("eve")];
  await expect(ask("bob")).rejects.toThrow("busy");
  await expect(ask("joe")).rejects.toThrow("busy");
  for (const each of waiting) each.catch(() => {});
});

test("a request that waits too long is rejected", async () => {
  const { ask } = asking(open({ timeoutMs: 1 }));
  await ask("ada", 4);
  await expect(ask("bob")).rejects.toThrow("busy");
});

test("a cancelled request leaves the queue and delays no other", async () => {
  const { inside, ask } = asking(open());
  await ask("ada", 3);
  const gone = new AbortController();
  const large = ask("bob", 2, gone.signal);
  const small = ask("eve", 1);
  gone.abort(new Error("gone"));
  await expect(large).rejects.toThrow("gone");
  await small;
  assert.deepEqual(inside, ["ada", "eve"]);
  await expect(ask("bob", 1, gone.signal)).rejects.toThrow("gone");
});
