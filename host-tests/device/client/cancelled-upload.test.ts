/** An HTTP firmware upload that is cancelled before the console has read all sent bytes. */
import { afterEach, expect, test } from "vitest";
import { startFirmwareConsole } from "../../hosts/firmware-console.js";
import { bundleOf, firmwareImage, padded } from "../../hosts/firmware-files.js";
import { closeAll, codeOf, connect, opened } from "./transports.js";

/** More than the receive buffer of the console's host takes, and less than send and receive buffers together. */
const IMAGE_BYTES = 980_000;

afterEach(closeAll);

test("a firmware upload cancelled before the console has read it all stages nothing", async () => {
  const console = await startFirmwareConsole();
  opened.push({ close: () => console.stop() });
  const device = await connect("http", console);
  const file = bundleOf(padded(await firmwareImage({ version: "0.9.0" }), IMAGE_BYTES), console.publisher);
  const cancel = new AbortController();
  process.kill(console.pid, "SIGSTOP");
  const upload = await new Promise<{ readonly code: Promise<string> }>((resolve) => {
    const onProgress = (sentBytes: number) => sentBytes === file.length && resolve({ code });
    const code = codeOf(device.otaUpload({ file, signal: cancel.signal, onProgress }));
  });
  cancel.abort();
  process.kill(console.pid, "SIGCONT");
  expect(await upload.code).toBe("cancelled");
  await console.waitForLine(/ota: stopped receiving firmware/);
  expect(await console.ota()).toMatchObject({ state: "idle", received_bytes: 0 });
  expect((await console.ota()).staged_version).toBeUndefined();
});
