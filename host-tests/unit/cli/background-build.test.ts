/** The thread in which `svc app dev` builds may end at any time, and the next save builds all the same. */
import path from "node:path";
import { afterEach, expect, test } from "vitest";
import { BackgroundBuild } from "../../../cli/apps/background-build.js";

const PROGRAM = path.join(import.meta.dirname, "ending-build-program.ts");

let builder: BackgroundBuild;
afterEach(() => builder.close());

for (const { how, message } of [
  { how: "exits", message: "The compiler ended without an answer" },
  { how: "throws", message: "The compiler ended without an answer: not expected" },
  { how: "rejects a promise", message: "The compiler ended without an answer: not expected" },
])
  test(`A build whose thread ${how} fails, and the next one succeeds`, async () => {
    builder = new BackgroundBuild(PROGRAM);
    for (const _ of [1, 2]) {
      await expect(builder.build(how)).rejects.toMatchObject({
        code: "compile_failed",
        message,
      });
      expect(await builder.build("build")).toBe("built");
    }
  });

for (const how of ["ends after its answer", "throws after its answer"])
  test(`Builds go on after one whose thread ${how}`, async () => {
    builder = new BackgroundBuild(PROGRAM);
    expect(await builder.build(how)).toBe("built");
    await expect.poll(() => builder.build("build")).toBe("built"); // the first may meet the thread as it ends
  });

test("A closed builder cancels its build, starts no thread and may be closed again", async () => {
  builder = new BackgroundBuild(PROGRAM);
  const built = builder.build("build");
  const cancelled = expect(built).rejects.toThrow();
  await builder.close();
  await cancelled;
});
