/** An upload of the page: how it is reported, where, and until when it can be cancelled. */
import assert from "node:assert/strict";
import { beforeEach, test } from "vitest";
import { DeviceError } from "../../../device-client/device-error.js";
import { type UploadOptions, UploadRun } from "../../../web/install/upload-run.js";
import type { Notice } from "../../../web/session/session.js";

const DEVICE = {} as Parameters<Parameters<UploadRun["start"]>[2]>[0];
const REFUSAL = new DeviceError("storage_full", "It does not fit");

let notices: Omit<Notice, "id">[];
let run: UploadRun;
/** What the session throws before anything is sent. */
let absence: DeviceError | undefined;

beforeEach(() => {
  notices = [];
  absence = undefined;
  run = new UploadRun({
    attempt: async (work) => {
      if (absence) throw absence;
      return work(DEVICE);
    },
    notify: (notice) => void notices.push(notice),
  });
});

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
