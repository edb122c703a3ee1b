/** What installing would do, as it is shown before it is agreed to. */
import assert from "node:assert/strict";
import { test } from "vitest";
import { readAppFile } from "../../../device-client/app-file.js";
import type { AppEntry } from "../../../protocol/device/answers.js";
import { Fault } from "../../../protocol/fault.js";
import { type Chosen, signatureIn, sortChosenFiles } from "../../../web/install/chosen-files.js";
import { planInstall, suggestedName } from "../../../web/install/install-plan.js";
import { packageOf, type TestManifest } from "../../hosts/app-files.js";

const STORAGE = { total_bytes: 1 << 20, free_bytes: 1 << 19 };
const SYSTEM = { arch: "native", storage: STORAGE } as const;

const planned = async (fields: Partial<TestManifest>, apps: readonly AppEntry[] = [], system = SYSTEM) =>
  planInstall(await readAppFile(packageOf(new Uint8Array(8), fields), 1 << 20), "", { apps, system });

test("a new app replaces nothing, and none of its capabilities is new", async () => {
  const plan = await planned({ name: "bricks", capabilities: ["display.write"] });
  assert.equal(plan.installed, undefined);
  assert.deepEqual(plan.notes, []);
  assert.deepEqual(plan.capabilities, [
    { name: "display.write", summary: "Draw on the display.", isNew: false },
  ]);
});

test("new capabilities of an update are marked", async () => {
  const installed = entryOf({ capabilities: ["display.write"] });
  const plan = await planned({ name: "bricks", capabilities: ["display.write", "network.use"] }, [installed]);
  assert.deepEqual(
    plan.capabilities.map(({ name, isNew }) => [name, isNew]),
    [
      ["display.write", false],
      ["network.use", true],
    ],
  );
});

const NOTES = [
  {
    name: "that the file is older",
    app: entryOf({ version: "2.0.0" }),
    note: /older than the installed version \(2\.0\.0\)/,
  },
  {
    name: "that the running app will be stopped",
    app: entryOf({ state: "running" }),
    note: /stopped for the update/,
  },
  { name: "that stored data stays", app: entryOf({}), note: /data stays/ },
];
for (const { name, app, note } of NOTES)
  test(`replacing an app shows ${name}`, async () => {
    assert.ok((await planned({ name: "bricks" }, [app])).notes.some((sentence) => note.test(sentence)));
  });

test("an app that may not fit is reported", async () => {
  const system = { arch: "native", storage: { total_bytes: 1 << 20, free_bytes: 3 } } as const;
  assert.match(String((await planned({}, [], system as never)).notes), /may have too little space/);
});

test("an AOT file needs the app that it is for", () => {
  const file = { kind: "variant", bytes: new Uint8Array(64), architecture: "xtensa" } as const;
  assert.match(
    String(planInstall(file, "bricks", { apps: [], system: SYSTEM }).obstacle),
    /Install the app first/,
  );
  const plan = planInstall(file, "bricks", { apps: [entryOf({})], system: SYSTEM });
  assert.equal(plan.obstacle, undefined);
  assert.deepEqual(plan.notes, ["This console is native and will not use it."]);
});

test("machine code alone is told, and is not installed on a console of another architecture", async () => {
  const file = packageOf(new TextEncoder().encode("\0aot"), { target_arch: "rv32" });
  const plan = async (arch: string) =>
    planInstall(await readAppFile(file, 1 << 20), "", {
      apps: [],
      system: { arch, storage: STORAGE } as never,
    });
  const fitting = await plan("rv32");
  assert.equal(fitting.obstacle, undefined);
  assert.match(String(fitting.notes), /machine code for rv32 alone.*role native/);
  assert.equal((await plan("native")).obstacle, "This app is for rv32, and this console is native.");
});

test("a module for one architecture is not installed on a console of another", async () => {
  assert.match(String((await planned({ target_arch: "xtensa" })).obstacle), /for xtensa/);
  const plan = await planned({ target_arch: "native" });
  assert.deepEqual([plan.obstacle, plan.notes], [undefined, []]);
});

test("a module without a manifest gets the typed name, if valid", () => {
  const file = { kind: "module", bytes: new Uint8Array(8), manifest: undefined } as const;
  const context = { apps: [], system: SYSTEM };
  assert.equal(planInstall(file, "snake", context).name, "snake");
  assert.match(String(planInstall(file, ".snake", context).obstacle), /without a dot at either end/);
});

const SUGGESTED = [
  ["bricks.wasm", "bricks"],
  ["bricks.xtensa.aot", "bricks"],
  ["my game.wasm", "uploaded_app"],
  [".wasm", "uploaded_app"],
] as const;
for (const [fileName, name] of SUGGESTED)
  test(`"${fileName}" suggests the name ${name}`, () => assert.equal(suggestedName(fileName), name));

const APP = fileOf("bricks.svcpkg");
const SIGNATURE = fileOf("bricks.svcpkg.sig");
const OTHER_SIGNATURE = fileOf("other.sig");

const CHOICES: readonly { name: string; files: readonly ReturnType<typeof fileOf>[]; chosen: Chosen }[] = [
  {
    name: "an app alone has no signature",
    files: [APP],
    chosen: { app: APP, signature: undefined, isForeign: false },
  },
  {
    name: "the order of both files does not matter",
    files: [SIGNATURE, APP],
    chosen: { app: APP, signature: SIGNATURE, isForeign: false },
  },
  {
    name: "a signature with the file's full name is preferred",
    files: [OTHER_SIGNATURE, SIGNATURE, APP],
    chosen: { app: APP, signature: SIGNATURE, isForeign: false },
  },
  {
    name: "a single signature with another name is used, and reported as such",
    files: [APP, OTHER_SIGNATURE],
    chosen: { app: APP, signature: OTHER_SIGNATURE, isForeign: true },
  },
];
for (const { name, files, chosen } of CHOICES)
  test(name, () => assert.deepEqual(sortChosenFiles(files), chosen));

test("a choice without an app, or with two, asks for another choice", () => {
  assert.match(problemOf([]), /Choose a package/);
  assert.match(problemOf([SIGNATURE]), /Choose "bricks\.svcpkg" together with it/);
  assert.match(problemOf([APP, fileOf("snake.wasm")]), /one app at a time/);
});

test("a signature file is read with or without its line end, and rejected with other content", async () => {
  const digits = "0a".repeat(64);
  assert.equal(await signatureIn(fileOf("a.sig", `${digits}\n`)), digits);
  assert.equal(await signatureIn(fileOf("a.sig", digits.toUpperCase())), digits);
  await assert.rejects(signatureIn(fileOf("a.sig", "nonsense")), Fault);
});

function problemOf(files: readonly ReturnType<typeof fileOf>[]): string {
  const chosen = sortChosenFiles(files);
  return "problem" in chosen ? chosen.problem : "";
}

function fileOf(name: string, text = "") {
  return { name, arrayBuffer: async () => Uint8Array.from(Buffer.from(text)).buffer };
}

function entryOf(fields: Partial<AppEntry>): AppEntry {
  return {
    name: "bricks",
    version: "1.0.0",
    state: "stopped",
    description: "",
    author: "",
    size_bytes: 1,
    memory_quota: 65536,
    capabilities: [],
    variants: [],
    ...fields,
  };
}
