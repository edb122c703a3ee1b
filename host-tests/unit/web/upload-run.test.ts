/** An upload of the page: how it is reported, where, and until when it can be cancelled. */
import assert from "node:assert/strict";
import { signal } from "@preact/signals";
import { afterEach, beforeEach, describe, test, vi } from "vitest";
import { DeviceError } from "../../../device-client/device-error.js";
import { type UploadOptions, UploadRun } from "../../../web/install/upload-run.js";
import type { Notice } from "../../../web/session/session.js";

const DEVICE = {} as Parameters<Parameters<UploadRun["start"]>[2]>[0];
const REFUSAL = new DeviceError("storage_full", "It does not fit");

let notices: Omit<Notice, "id">[];
let run: UploadRun;
/** What the session throws before anything is sent. */
let absence: DeviceError | undefined;

const device = signal<typeof DEVICE | undefined>(DEVICE);
const isAnswering = signal(true);
const mac = signal<string | undefined>("02:00:00:00:00:01");

beforeEach(() => {
  notices = [];
  device.value = DEVICE;
  isAnswering.value = true;
  mac.value = "02:00:00:00:00:01";
  absence = undefined;
  run = new UploadRun({
    attempt: async (work) => {
      if (absence) throw absence;
      return work(DEVICE);
    },
    notify: (notice) => void notices.push(notice),
    device,
    isAnswering,
    mac,
  });
});
afterEach(() => void vi.useRealTimers());

/** Begins to send 1000 bytes. */
function begin() {
  let options: UploadOptions | undefined;
  let settle: (answer: Promise<string>) => void = () => {};
  const answer = new Promise<string>((resolve) => {
    settle = resolve;
  });
  const result = run.start("install large", 1000, (_device, given) => {
    options = given;
    given.signal.addEventListener("abort", () => refuse(new DeviceError("cancelled", "It was ended")));
    return answer;
  });
  const refuse = (error: DeviceError) => settle(Promise.reject(error));
  return {
    result,
    refuse,
    accept: (text: string) => settle(Promise.resolve(text)),
    progress: (bytes: number) => options?.onProgress(bytes),
  };
}

test("an upload returns the console's answer, and then counts as ended", async () => {
  const { result, accept, progress } = begin();
  progress(400);
  assert.equal(run.transfer.value?.sentBytes, 400);
  accept("installed");
  assert.equal(await result, "installed");
  assert.equal(run.transfer.value, undefined);
});

test("a failure is shown with the upload, and nowhere else", async () => {
  run.show();
  const { result, refuse } = begin();
  refuse(REFUSAL);
  assert.equal(await result, undefined);
  assert.equal(run.error.value?.code, "storage_full");
  assert.deepEqual(notices, []);
});

test("a failure that is not shown elsewhere becomes a notice", async () => {
  const hide = run.show();
  const { result, refuse } = begin();
  hide();
  refuse(REFUSAL);
  await result;
  assert.deepEqual(notices, [
    { kind: "failed", text: "Cannot install large: It does not fit", advice: "Uninstall an app." },
  ]);
  assert.equal(run.error.value, undefined);
});

test("a failure is shown when the upload is shown again", async () => {
  run.show()();
  run.show();
  const { result, refuse } = begin();
  refuse(REFUSAL);
  await result;
  assert.equal(run.error.value?.code, "storage_full");
});

test("an error before the upload is reported like any failure", async () => {
  run.show();
  absence = new DeviceError("device_lost", "Console-1 is away");
  await begin().result;
  assert.equal(run.error.value?.message, "Console-1 is away");
  assert.deepEqual(notices, []);
});

test("an upload can be cancelled, and is reported as cancelled", async () => {
  run.show();
  const { result, progress } = begin();
  progress(999);
  run.cancel();
  assert.equal(await result, undefined);
  assert.deepEqual(notices, [{ kind: "told", text: "Cancelled: install large" }]);
  assert.equal(run.error.value, undefined);
});

test("a completely sent upload cannot be cancelled", async () => {
  const { result, accept, progress } = begin();
  progress(1000);
  run.cancel();
  accept("installed");
  assert.equal(await result, "installed");
  assert.deepEqual(notices, []);
});

test("one file is sent at a time", async () => {
  const { result, accept } = begin();
  assert.equal(await begin().result, undefined);
  accept("the first");
  assert.equal(await result, "the first");
});

describe("An upload whose connection breaks", () => {
  const LOST = new DeviceError("device_lost", "Console-1 is away");
  /** Sends, and is lost as often as given. @returns the result, and how often it was sent */
  function losing(times: number, error = LOST) {
    let sent = 0;
    const result = run.start("install large", 1000, async (_device, { onProgress }) => {
      onProgress(400);
      if (++sent <= times) throw error;
      return "installed";
    });
    return { result, count: () => sent };
  }
  /** Of the pause before the file is sent again. */
  const pass = (ms = 2_000) => vi.advanceTimersByTimeAsync(ms);
  beforeEach(() => {
    vi.useFakeTimers();
    run.show();
  });

  test("is sent again, from its start, once the console is back", async () => {
    device.value = undefined;
    const { result, count } = losing(1);
    await pass(30_000);
    assert.deepEqual([count(), run.transfer.value?.isWaiting, run.transfer.value?.sentBytes], [1, true, 0]);
    device.value = DEVICE;
    assert.equal(await result, "installed");
    assert.deepEqual([count(), run.transfer.value, run.error.value, notices], [2, undefined, undefined, []]);
  });

  test("is not sent to a console that does not answer yet", async () => {
    isAnswering.value = false;
    const { result, count } = losing(1);
    await pass(10_000);
    assert.equal(count(), 1);
    isAnswering.value = true;
    assert.equal(await result, "installed");
  });

  test("fails after three times", async () => {
    const { result, count } = losing(9);
    await pass(60_000);
    assert.deepEqual([await result, count(), run.error.value?.code], [undefined, 3, "device_lost"]);
  });

  test("fails if the console does not come back within a minute", async () => {
    device.value = undefined;
    const { result, count } = losing(1);
    await pass(60_000);
    assert.deepEqual([await result, count(), run.error.value?.code], [undefined, 1, "device_lost"]);
  });

  test("is not sent to another console", async () => {
    device.value = undefined;
    const { result, count } = losing(1);
    await pass();
    mac.value = "02:00:00:00:00:02";
    device.value = DEVICE;
    assert.deepEqual([await result, count(), run.error.value?.code], [undefined, 1, "device_lost"]);
  });

  test("can be cancelled while it waits", async () => {
    device.value = undefined;
    const { result, count } = losing(1);
    await pass();
    run.cancel();
    assert.deepEqual([await result, count()], [undefined, 1]);
    assert.deepEqual(notices, [{ kind: "told", text: "Cancelled: install large" }]);
  });

  test("is not sent again after a refusal", async () => {
    const { result, count } = losing(1, REFUSAL);
    assert.deepEqual([await result, count(), run.error.value?.code], [undefined, 1, "storage_full"]);
  });
});
