/** A script that is loaded on its first use, and again after a failure. */
import assert from "node:assert/strict";
import { test } from "vitest";
import { LazyScript } from "../../../../web/frame/lazy-script.js";

interface Load {
  readonly failures: number;
  readonly succeed: (module: string) => void;
  readonly fail: (error: Error) => void;
}

/** A script whose loads the test ends, in order. */
function played() {
  const loads: Load[] = [];
  const script = new LazyScript(
    (failures) =>
      new Promise<string>((succeed, fail) => {
        loads.push({ failures, succeed, fail });
      }),
  );
  return { script, loads };
}

test("a script is loaded once, however often requested", async () => {
  const { script, loads } = played();
  assert.deepEqual(script.state.value, { phase: "absent" });
  const all = [script.load(), script.load()];
  assert.deepEqual(script.state.value, { phase: "loading" });
  loads[0]?.succeed("panels");
  await Promise.all(all);
  await script.load();
  assert.deepEqual(script.state.value, { phase: "there", module: "panels" });
  assert.equal(loads.length, 1);
});

test("a failed load is retried on the next request, with the number of failures", async () => {
  const { script, loads } = played();
  for (const failures of [0, 1]) {
    const load = script.load();
    assert.equal(loads.at(-1)?.failures, failures);
    loads.at(-1)?.fail(new TypeError("Failed to fetch"));
    await load;
    assert.deepEqual(script.state.value, { phase: "failed", isTried: false });
  }
  const load = script.load();
  void script.load();
  assert.deepEqual(script.state.value, { phase: "failed", isTried: true });
  loads.at(-1)?.succeed("panels");
  await load;
  assert.deepEqual(script.state.value, { phase: "there", module: "panels" });
  assert.deepEqual(
    loads.map(({ failures }) => failures),
    [0, 1, 2],
  );
});
