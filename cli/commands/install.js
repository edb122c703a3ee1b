/** `svc install`: installs an app's file, with its signature, on a console. */
import { introduction, signatureFor, successionFor } from "../console/app-file.js";
import { sendFile } from "../console/send-file.js";
import { requireSignature } from "../console/signature-argument.js";
import { advisedOnSigner } from "../console/unknown-signer.js";
import { deviceError } from "../device/client.js";
import { APP_FILE_LIMIT_BYTES, readContent, tooLarge } from "../files.js";
import { bytesText } from "../terminal/units.js";

/** @type {import("../command.js").Command} */
export const install = Object.freeze({
  name: "install",
  summary: "Installs an app, or a newer version of one.",
  parameters: [
    { name: "FILE", summary: "package (.svcpkg), module (.wasm) or machine code (.aot)", isFile: true },
  ],
  options: [
    { name: "signature", value: "HEX", summary: "of the file; by default what FILE.sig says" },
    { name: "key", value: "PEM", summary: "signs the file with this private key at once", isFile: true },
    {
      name: "name",
      value: "NAME",
      summary: "of the app, for a module without a manifest and for machine code",
    },
    { name: "downgrade", summary: "takes an older version than the installed one, over the cable" },
    { name: "start", summary: "starts it, once it is installed" },
  ],
  isForConsole: true,
  notes: [
    "FILE.succession beside the file goes along: the keys that its publisher has succeeded (`svc key succeed`).",
    "What the app asks for is shown first. Until all of it has left, Ctrl-C ends the upload, and the console forgets it.",
  ],
  run: perform,
});

/** @param {import("../command.js").Call} call */
async function perform(call) {
  const { values, flags, device: open, output, signal } = call;
  const { FILE: file = "", key, name, signature: digits } = values;
  await requireSignature(digits);
  const bytes = new Uint8Array(await readContent(file, APP_FILE_LIMIT_BYTES));
  const device = await open();
  const { limits, features } = await device.system(signal);
  if (bytes.length > limits.app_bytes) throw tooLarge(file, limits.app_bytes);
  const shown = await introduction(file, bytes, limits.app_bytes);
  const signature = await signatureFor(file, bytes, { digits, key });
  const succession = await successionFor(file);
  if (signature === undefined && !features.includes("unsigned_apps")) throw await unsigned(file);
  output.note(shown);
  const entry = await sendFile(call, {
    ...{ file, totalBytes: bytes.length, tells: "svc apps" },
    send: (onProgress) => {
      const sending = device.install({
        file: bytes,
        ...(signature !== undefined && { signature }),
        ...(succession !== undefined && { publisher: { succession } }),
        ...(name !== undefined && { name }),
        isDowngrade: flags.has("downgrade"),
        onProgress,
        signal,
      });
      return advisedOnSigner(sending, { file, bytes, signature, key });
    },
  });
  const now = flags.has("start") ? await device.start(entry.name) : entry;
  const what = `${now.name} ${now.version} is installed, ${bytesText(now.size_bytes)}`;
  return { text: now.state === "running" ? `${what}, and running` : what, json: now };
}

/** The console would say so too, once it has got all of it. @param {string} file */
function unsigned(file) {
  return deviceError(
    "signature_missing",
    `Cannot install "${file}" without a signature: there is no "${file}.sig"`,
  );
}
