/** `POST /upload`: a bundle in the body of one request, and nothing else (docs/spec/boot-and-slots.md#flash). */
import { describe, expect, test } from "vitest";
import { bundled, flashedStorage, Run, type Sent, slotsOf } from "./emulated-update.js";

const bundle = bundled();
const send = (run: Run, sent: Partial<Sent> = {}) =>
  run.send({ path: "/upload", transport: "http", body: bundle, ...sent });
const text = (value: string) => new TextEncoder().encode(value);

describe("POST /upload", () => {
  const WAYS: readonly (Partial<Sent> & { name: string })[] = [
    { name: "in pieces" },
    { name: "byte by byte", pieceBytes: 1 },
    { name: "in one piece", pieceBytes: bundle.length },
    { name: "without a known length", bodyByteLength: null },
    { name: "whatever its query", parameters: { chunk: 7, total: "x", name: "tetris", reboot: false } },
  ];
  for (const { name, ...sent } of WAYS)
    test(`stages a bundle and restarts into it, ${name}`, async () => {
      const run = new Run(flashedStorage());
      const { status, body, answer } = await send(run, sent);
      expect({ status, body }).toMatchObject({ status: 200, body: { state: "staged" } });
      expect(run.restart.isRequested).toBe(true);
      answer?.onSent?.();
      expect(run.system.restarts()).toBe(1);
      expect(run.reboot().ota.status()).toMatchObject({ running_version: "0.2.0" });
    });

  const OTHERS = [
    { name: "no body", body: text(""), bodyByteLength: 0 },
    { name: "an empty body", body: text(""), bodyByteLength: null },
    { name: "a part of the magic", body: text("AKF") },
    { name: "the beginning of another magic", body: text("AX") },
    { name: "a package", body: Uint8Array.of(0x1f, 0x8b, 8, 0, 0, 0, 0, 0) },
    { name: "a module", body: Uint8Array.of(0, 0x61, 0x73, 0x6d, 1, 0, 0, 0) },
    { name: "a form", body: text('--x\r\ncontent-disposition: form-data; name="file"\r\n\r\nAKFW') },
    { name: "a magic after another byte", body: text(" AKFW") },
  ];
  for (const { name, ...sent } of OTHERS)
    test(`answers 415 to ${name}, and changes nothing`, async () => {
      const run = new Run(flashedStorage());
      await run.upload(bundle);
      const before = slotsOf(run);
      for (const pieceBytes of [1, 1000])
        expect(await send(run, { ...sent, pieceBytes })).toMatchObject({
          status: 415,
          body: { error: "media_type_unsupported" },
        });
      expect(slotsOf(run)).toEqual(before);
      expect(run.ota.status()).toMatchObject({ state: "staged" });
      expect(run.ota.status()).not.toHaveProperty("last_result");
    });

  test("rejects a body that arrives after a restart was requested", async () => {
    const run = new Run(flashedStorage());
    const late = run.deliver({ path: "/upload", transport: "http", body: bundle.subarray(0, 3) });
    await send(run);
    expect(() => late.write(bundle.subarray(3))).toThrow("about to restart");
    expect(run.reboot().ota.status()).toMatchObject({ running_version: "0.2.0" });
  });

  test("rejects a bundle like any other upload", async () => {
    const run = new Run(flashedStorage());
    const reply = await send(run, { body: bundled({ board: "toaster" }) });
    expect(reply).toMatchObject({ status: 422, body: { error: "wrong_board" } });
    expect(run.restart.isRequested).toBe(false);
    expect(await send(run, { body: text("AKFW") })).toMatchObject({ body: { error: "bundle_length" } });
  });

  test("is busy while a bundle arrives elsewhere, and does not disturb it", async () => {
    const run = new Run(flashedStorage());
    const other = run.deliver({ transport: "http", body: bundle });
    expect(await send(run)).toMatchObject({ status: 409, body: { error: "upload_busy" } });
    expect(await send(run, { body: text("what?") })).toMatchObject({ status: 415 });
    expect(await other.end()).toMatchObject({ status: 200 });
  });

  test("leaves nothing of a truncated body", () => {
    const run = new Run(flashedStorage());
    const before = slotsOf(run);
    for (const length of [0, 3, 4, 77, 78, 200, bundle.length])
      run
        .deliver({
          path: "/upload",
          transport: "http",
          body: bundle.subarray(0, length),
          bodyByteLength: null,
        })
        .abort();
    expect(slotsOf(run)).toEqual(before);
    expect(run.ota.status()).toMatchObject({ state: "idle" });
  });
});
