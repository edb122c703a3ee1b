/** Which saves `svc app dev` sees (docs/spec/cli.md#app-dev). */
import { mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import path from "node:path";
import { afterAll, afterEach, beforeEach, describe, expect, test } from "vitest";
import { SourceWatch } from "../../../cli/apps/source-watch.js";
import { temporaryDirectory } from "../../hosts/simulator-program.js";

const temporary = temporaryDirectory();
afterAll(() => temporary.remove());

let root: string;
let app: string;
let elsewhere: string;
let count = 0;
let watching: SourceWatch | undefined;
let changes: number;
beforeEach(() => {
  root = path.join(temporary.path, `${count++}`);
  app = path.join(root, "app");
  elsewhere = path.join(root, "elsewhere");
  for (const directory of [app, elsewhere]) mkdirSync(directory, { recursive: true });
  changes = 0;
});
afterEach(() => watching?.close());

const save = (...names: readonly string[]) =>
  writeFileSync(path.join(root, ...names), `${performance.now()}`);
const watch = () => {
  watching = new SourceWatch(app, () => {
    changes++;
  });
};
const sees = async (change: () => void) => {
  const before = changes;
  change();
  await expect.poll(() => changes, { timeout: 10_000 }).toBeGreaterThan(before);
};
/** By the time that a later save is seen, an earlier one would have been. */
const seesNot = async (change: () => void) => {
  change();
  await new Promise((resolve) => setTimeout(resolve, 100));
  expect(changes).toBe(0);
  await sees(() => save("app", "last.ts"));
  expect(changes).toBe(1);
};

describe("svc app dev sees the save of", () => {
  test("a source, one in a directory, and one in a new directory", async () => {
    mkdirSync(path.join(app, "parts"));
    watch();
    await sees(() => save("app", "main.ts"));
    await sees(() => save("app", "parts", "a.ts"));
    await sees(() => mkdirSync(path.join(app, "more")));
    await sees(() => save("app", "more", "b.c"));
  });

  test("the file that a link leads to, also one that an editor replaces", async () => {
    save("elsewhere", "shared.ts");
    symlinkSync(path.join(elsewhere, "shared.ts"), path.join(app, "shared.ts"));
    watch();
    await sees(() => save("elsewhere", "shared.ts"));
    await sees(() => {
      save("elsewhere", "shared.ts.new");
      renameSync(path.join(elsewhere, "shared.ts.new"), path.join(elsewhere, "shared.ts"));
    });
    await sees(() => save("elsewhere", "shared.ts"));
  });

  test("the file at the end of several links, under another name", async () => {
    save("elsewhere", "manifest-of-all");
    symlinkSync(path.join(elsewhere, "manifest-of-all"), path.join(elsewhere, "link"));
    symlinkSync(path.join(elsewhere, "link"), path.join(app, "manifest.json"));
    watch();
    await sees(() => save("elsewhere", "manifest-of-all"));
  });

  test("a source in a directory that a link leads to", async () => {
    mkdirSync(path.join(elsewhere, "parts"));
    symlinkSync(elsewhere, path.join(app, "shared"));
    watch();
    await sees(() => save("elsewhere", "a.ts"));
    await sees(() => save("elsewhere", "parts", "b.ts"));
  });

  test("the file that a link leads to which was made meanwhile", async () => {
    save("elsewhere", "late.ts");
    watch();
    await sees(() => symlinkSync(path.join(elsewhere, "late.ts"), path.join(app, "late.ts")));
    await sees(() => save("elsewhere", "late.ts"));
  });

  test("a source of an app whose directory is itself named by a link", async () => {
    symlinkSync(app, path.join(root, "named"));
    watching = new SourceWatch(path.join(root, "named"), () => {
      changes++;
    });
    await sees(() => save("app", "main.ts"));
  });

  test("a source beside links that lead in a circle or nowhere", async () => {
    symlinkSync(app, path.join(app, "circle"));
    symlinkSync(path.join(root, "nowhere.ts"), path.join(app, "nowhere.ts"));
    watch();
    await sees(() => save("app", "main.ts"));
  });
});

describe("svc app dev builds nothing for", () => {
  test("a file beside the one that a link leads to", async () => {
    save("elsewhere", "shared.ts");
    symlinkSync(path.join(elsewhere, "shared.ts"), path.join(app, "shared.ts"));
    watch();
    await seesNot(() => save("elsewhere", "other.ts"));
  });

  test("a file that is no source, or in a directory without sources", async () => {
    mkdirSync(path.join(app, "build"));
    watch();
    await seesNot(() => {
      save("app", "notes.txt");
      save("app", "build", "a.ts");
    });
  });
});

test("svc app dev watches on after a directory was deleted and made again", async () => {
  mkdirSync(path.join(app, "parts"));
  watch();
  rmSync(path.join(app, "parts"), { recursive: true });
  await sees(() => mkdirSync(path.join(app, "parts")));
  await sees(() => save("app", "parts", "a.ts"));
});
