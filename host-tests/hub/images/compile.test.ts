/** Modules that a hub compiles ahead of time for publishers (docs/spec/hub-api.md#compile, docs/spec/aot.md#from-hub). */
import { createHash } from "node:crypto";
import { existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { appendCustomSection } from "../../../protocol/custom-section.js";
import { readNativeHead } from "../../../protocol/native-image.js";
import { buildNativeImage } from "../../../sdk/builder/native/build-image.js";
import { manifestOf, moduleOf, type TestManifest } from "../../hosts/app-files.js";
import { isMissing } from "../../hosts/peers.js";
import { module as moduleFrom } from "../../unit/wasm/module-builder.js";
import { HubPublisher } from "../catalog/hub-publisher.js";
import { EMBEDDED_HUB, HUBS, type HubUnderTest } from "../hosts/hub-under-test.js";
import type { Answer } from "../hosts/request.js";
import { expectGone, StandInCompiler } from "./stand-in-compiler.js";

const MANIFEST = { entry: "main", memory_quota: 131_072, capabilities: [] };
const COUNTING = `(module (memory 1 1)
  (func $add (param i32 i32) (result i32) (i32.add (local.get 0) (local.get 1)))
  (func (export "main") (result i32) (call $add (i32.load (i32.const 0)) (i32.const 7))))`;

function formOf(module: Uint8Array | undefined, manifest?: string): FormData {
  const form = new FormData();
  if (manifest !== undefined) form.set("manifest", manifest);
  if (module) form.set("module", new Blob([Uint8Array.from(module)]), "app.wasm");
  return form;
}

const written = (fields: Partial<TestManifest> = {}) =>
  JSON.stringify(manifestOf({ ...MANIFEST, ...fields }));

function compile(
  publisher: HubPublisher,
  module: Uint8Array,
  { arch = "native", ...fields }: Partial<TestManifest> & { readonly arch?: string } = {},
): Promise<Answer> {
  return publisher.request("POST", `/publisher/images?arch=${arch}`, {
    form: formOf(module, written(fields)),
  });
}

for (const { name, missing, start } of HUBS)
  describe.skipIf(missing)(`A module that is compiled on ${name}`, () => {
    let hub: HubUnderTest;
    let module: Uint8Array;
    beforeAll(async () => {
      hub = await start({ environment: { SVC_HUB_COMPILE: "native,rv32" } });
      module = await moduleOf(COUNTING);
    });
    afterAll(() => hub?.stop());

    /** By a new publisher, whose calls of this minute are not used up. */
    const asking = async (file: Uint8Array, fields?: Parameters<typeof compile>[2]) => {
      return compile(await HubPublisher.register(hub), file, fields);
    };

    test("is what the publisher's own compiler makes of it, byte by byte and each time", async () => {
      const own = await buildNativeImage(module, MANIFEST, "native");
      for (const _time of ["first", "second"]) {
        const { status, headers, bytes } = await asking(module);
        expect([status, headers.get("content-type")]).toEqual([200, "application/octet-stream"]);
        expect(Buffer.from(bytes).equals(own)).toBe(true);
      }
    });

    test("names the module, so that no other app runs it", async () => {
      const { bytes } = await asking(module, { name: "counter" });
      expect(readNativeHead(bytes, bytes.length)).toMatchObject({
        machine: "x86_64",
        entry: "main",
        moduleSha256: createHash("sha256").update(module).digest("hex"),
      });
    });

    test.skipIf(isMissing("rv32"))("is for the architecture that is asked for", async () => {
      const { bytes } = await asking(module, { arch: "rv32" });
      expect(readNativeHead(bytes, bytes.length).machine).toBe("riscv32");
    });

    const nested = (depth: number) => {
      const blocks = (bytes: readonly number[]) => Array.from({ length: depth }, () => bytes).flat();
      const code = [...blocks([0x02, 0x40]), ...blocks([0x0b])];
      return moduleFrom({ functions: [{ code }], exports: [["main", 0, 0]] });
    };
    const REFUSED: readonly {
      readonly what: string;
      readonly module?: () => Promise<Uint8Array> | Uint8Array;
      readonly fields?: Parameters<typeof compile>[2];
      readonly is: readonly [status: number, error: string];
    }[] = [
      { what: "for an architecture without images", fields: { arch: "mips" }, is: [400, "bad_parameter"] },
      { what: "if it is none", module: () => Buffer.from("hello"), is: [422, "module_invalid"] },
      {
        what: "if it imports what no console has",
        module: () => moduleOf('(module (import "env" "f" (func)) (func (export "main")))'),
        is: [422, "import_unknown"],
      },
      {
        what: "if it imports what its manifest does not declare",
        module: () =>
          moduleOf('(module (import "svc" "display_width" (func (result i32))) (func (export "main")))'),
        is: [422, "capability_missing"],
      },
      { what: "without its entry", fields: { entry: "start" }, is: [422, "entry_missing"] },
      {
        what: "with more memory than its quota",
        module: () => moduleOf('(module (memory 4) (func (export "main")))'),
        is: [422, "quota_exceeded"],
      },
      { what: "with a manifest that is wrong", fields: { memory_quota: -1 }, is: [422, "manifest_invalid"] },
      { what: "with deeply nested blocks", module: () => nested(250), is: [422, "compile_failed"] },
      {
        what: "if it runs a script",
        module: async () => appendCustomSection(await moduleOf(COUNTING), "svc_py_script", Buffer.from("1")),
        is: [422, "compile_failed"],
      },
      {
        what: "if it has more than 1 MiB",
        module: () => new Uint8Array(1024 * 1024 + 1),
        is: [413, "file_too_large"],
      },
    ];
    for (const { what, module: made = () => module, fields, is } of REFUSED)
      test(`is refused ${what}`, async () => {
        const { status, body } = await asking(await made(), fields);
        expect([status, body.error]).toEqual(is);
      });

    test("is refused without its manifest, and a manifest without its module", async () => {
      const path = "/publisher/images?arch=native";
      const publisher = await HubPublisher.register(hub);
      for (const form of [formOf(module), formOf(undefined, written())]) {
        const { status, body } = await publisher.request("POST", path, { form });
        expect([status, body.error]).toEqual([400, "multipart_invalid"]);
      }
    });

    test("is one of the twelve in a minute that a publisher has in each process", async () => {
      const one = await HubPublisher.register(hub);
      const [origin = ""] = hub.origins;
      const ask = async () => (await fetchAt(origin, one.token, formOf(undefined, ""))).status;
      let calls = 0;
      while ((await ask()) !== 429) calls += 1;
      expect(calls).toBeGreaterThanOrEqual(12);
      expect((await asking(Buffer.from("hello"))).status).toBe(422);
    });
  });

function fetchAt(origin: string, token: string, form: FormData, signal?: AbortSignal): Promise<Response> {
  return fetch(`${origin}/api/v1/publisher/images?arch=native`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}` },
    body: form,
    ...(signal && { signal }),
  });
}

/** A hub whose compiler does what the test says; both end with the test. */
async function hubWith(compiler: StandInCompiler, environment: Readonly<Record<string, string>> = {}) {
  onTestFinished(() => compiler.remove());
  const hub = await EMBEDDED_HUB.start({
    environment: { SVC_HUB_COMPILE: "native", PATH: compiler.searchPath, ...environment },
  });
  onTestFinished(() => hub.stop());
  return hub;
}

async function ask(hub: HubUnderTest, publisher: HubPublisher, signal?: AbortSignal) {
  const answer = await fetchAt(
    hub.origin,
    publisher.token,
    formOf(await moduleOf(COUNTING), written()),
    signal,
  );
  const body = (await answer.json()) as { readonly error: string; readonly message: string };
  return { status: answer.status, ...body, retryAfter: answer.headers.get("retry-after") };
}

const REFUSED_BY_COMPILER = {
  status: 422,
  error: "compile_failed",
  message: expect.stringContaining("the stand-in does not compile"),
};

async function compilations(hub: HubUnderTest): Promise<Readonly<Record<string, number>>> {
  const text = await (await fetch(`${hub.origin}/metrics`)).text();
  const found = text.matchAll(/^svc_hub_compilations_total\{outcome="(\w+)"\} (\d+)$/gm);
  return Object.fromEntries([...found].map(([, outcome, count]) => [outcome, Number(count)]));
}

describe("A hub that compiles", () => {
  test("does so only if its operator has said so, and tells without reading the module", async () => {
    const hub = await EMBEDDED_HUB.start();
    onTestFinished(() => hub.stop());
    const publisher = await HubPublisher.register(hub);
    const { status, body } = await compile(publisher, new Uint8Array(4_000_000));
    expect([status, body.error]).toEqual([409, "compile_off"]);
  });

  test("compiles for the architectures that it was given alone", async () => {
    const hub = await EMBEDDED_HUB.start({ environment: { SVC_HUB_COMPILE: "native" } });
    onTestFinished(() => hub.stop());
    const publisher = await HubPublisher.register(hub);
    const { status, body } = await compile(publisher, await moduleOf(COUNTING), { arch: "rv32" });
    expect([status, body.error]).toEqual([409, "compile_off"]);
  });

  test("says that its compiler is missing", async () => {
    const hub = await EMBEDDED_HUB.start({ environment: { SVC_HUB_COMPILE: "native", PATH: "/nowhere" } });
    onTestFinished(() => hub.stop());
    const publisher = await HubPublisher.register(hub);
    const { status, body } = await compile(publisher, await moduleOf(COUNTING));
    expect([status, body.error]).toEqual([503, "compiler_missing"]);
    expect(await compilations(hub)).toEqual({ compiled: 0, refused: 0, failed: 1, cancelled: 0 });
  });

  test("tells its compiler nothing of its settings, and nothing that a publisher has named", async () => {
    const compiler = new StandInCompiler();
    compiler.release();
    const hub = await hubWith(compiler, {
      SVC_HUB_PUBLIC_URL: "https://hub.example",
      DATABASE_PASSWORD: "secret",
    });
    const publisher = await HubPublisher.register(hub);
    const module = await moduleOf('(module (func $stranger (export "stranger")))');
    const answer = await compile(publisher, module, { name: "stranger", entry: "stranger" });
    expect(answer.body.error).toBe("compile_failed");
    const { environment, commandLine } = await compiler.run(1);
    const own = ["PATH", "TMPDIR", "LC_ALL", "NODE_OPTIONS"];
    const ofShells = ["PWD", "OLDPWD", "SHLVL", "_"];
    expect(
      Object.keys(environment)
        .filter((name) => !ofShells.includes(name))
        .sort(),
    ).toEqual(own.sort());
    expect(commandLine).not.toContain("stranger");
    expect(answer.body.message).not.toContain(environment["TMPDIR"]);
  });

  test("compiles one module at a time, in the order of the requests, and one of each publisher", async () => {
    const compiler = new StandInCompiler();
    const hub = await hubWith(compiler);
    const [one, other] = [await HubPublisher.register(hub), await HubPublisher.register(hub)];
    const first = ask(hub, one);
    await compiler.run(1);
    const busy = { status: 503, error: "busy", retryAfter: expect.stringMatching(/^\d+$/) };
    expect(await ask(hub, one)).toMatchObject(busy);
    const attempts = [ask(hub, other), ask(hub, other)]; // one of them waits
    expect(await Promise.race(attempts)).toMatchObject(busy);
    compiler.release();
    expect(await first).toMatchObject(REFUSED_BY_COMPILER);
    await compiler.run(2);
    const again = ask(hub, one);
    compiler.release();
    expect(await Promise.all(attempts)).toContainEqual(expect.objectContaining(REFUSED_BY_COMPILER));
    await compiler.run(3);
    compiler.release();
    expect(await again).toMatchObject(REFUSED_BY_COMPILER);
    expect(await compilations(hub)).toEqual({ compiled: 0, refused: 3, failed: 0, cancelled: 0 });
  });

  test("answers other requests meanwhile", async () => {
    const compiler = new StandInCompiler();
    const hub = await hubWith(compiler);
    const publisher = await HubPublisher.register(hub);
    const asked = ask(hub, publisher);
    await compiler.run(1);
    expect((await publisher.get("/catalog")).status).toBe(200);
    compiler.release();
    await asked;
  });

  test("ends a compilation whose client is gone, and goes on with the next", async () => {
    const compiler = new StandInCompiler();
    const hub = await hubWith(compiler);
    const [one, other] = [await HubPublisher.register(hub), await HubPublisher.register(hub)];
    const leaving = new AbortController();
    const left = ask(hub, one, leaving.signal);
    const run = await compiler.run(1);
    const next = ask(hub, other);
    leaving.abort();
    await expect(left).rejects.toThrow();
    await expectGone(run);
    await compiler.run(2);
    compiler.release();
    expect(await next).toMatchObject(REFUSED_BY_COMPILER);
    expect(await compilations(hub)).toMatchObject({ cancelled: 1, refused: 1 });
  });

  test("ends its compilation when it is told to end, and tells who waits", async () => {
    const compiler = new StandInCompiler();
    const hub = await hubWith(compiler);
    const publisher = await HubPublisher.register(hub);
    const asked = ask(hub, publisher);
    const run = await compiler.run(1);
    const ended = hub.processes[0]?.stop();
    expect(await asked).toMatchObject({ status: 503, error: "busy" });
    expect(await ended).toBe(0);
    await expectGone(run);
  });

  const KILLED = [
    { what: "", work: undefined },
    {
      what: " while its compiler writes files",
      work: 'n=0; while n=$((n + 1)); do echo > "$TMPDIR/$n"; done',
    },
  ];
  test.each(KILLED)("leaves nothing behind if it is killed$what", async ({ work }) => {
    const compiler = new StandInCompiler(work);
    const hub = await hubWith(compiler);
    const publisher = await HubPublisher.register(hub);
    const asked = ask(hub, publisher).catch(() => "no answer");
    const run = await compiler.run(1);
    await hub.processes[0]?.kill();
    expect(await asked).toBe("no answer");
    await expectGone(run);
  });

  test("leaves nothing in its temporary directory", async () => {
    const temporary = mkdtempSync(path.join(tmpdir(), "compile-"));
    onTestFinished(() => rmSync(temporary, { recursive: true }));
    const hub = await EMBEDDED_HUB.start({ environment: { SVC_HUB_COMPILE: "native", TMPDIR: temporary } });
    onTestFinished(() => hub.stop());
    const publisher = await HubPublisher.register(hub);
    expect((await compile(publisher, await moduleOf(COUNTING))).status).toBe(200);
    expect((await compile(publisher, Buffer.from("hello"))).status).toBe(422);
    expect(existsSync(temporary)).toBe(true);
    expect(readdirSync(temporary)).toEqual([]);
  });
});
