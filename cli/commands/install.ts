/** `svc install`: installs an app's file, with its signature, on a console. */
import type { Call, Command } from "../command.js";
import { introduction, requireSignature, signatureFor, successionFor } from "../console/app-file.js";
import { sendFile } from "../console/send-file.js";
import { advisedOnSigner } from "../console/unknown-signer.js";
import { deviceError } from "../device/client.js";
import { APP_FILE_LIMIT_BYTES, readContent, tooLarge } from "../files.js";
import { bytesText } from "../terminal/format.js";

export const install: Command = Object.freeze<Command>({
  name: "install",
  summary: "Install or update an app.",
  parameters: [
    { name: "FILE", summary: "package (.svcpkg), module (.wasm) or machine code (.aot)", isFile: true },
  ],
  options: [
    {
      name: "signature",
      value: "HEX",
      summary: "signature of the file, 128 hexadecimal digits; default: the content of FILE.sig",
    },
    { name: "key", value: "PEM", summary: "sign the file with this private key", isFile: true },
    {
      name: "name",
      value: "NAME",
      summary: "name of the app; for machine code, or a module without a manifest",
    },
    { name: "downgrade", summary: "allow an older version than the installed one; over USB only" },
    { name: "start", summary: "start the app after installing it" },
  ],
  isForConsole: true,
  notes: [
    "If there is a FILE.succession beside the file, svc sends it too: it proves that the publisher replaced a key (see `svc key succeed`).",
    "Shows first what the app may do. Ctrl-C cancels the upload until all of the file is sent; the console then discards it.",
  ],
  run: perform,
});

async function perform(call: Call) {
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
    file,
    totalBytes: bytes.length,
    tells: "svc apps",
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
  return { text: now.state === "running" ? `${what}; it is running` : what, json: now };
}

/** The console's own error, before the upload instead of after it. */
function unsigned(file: string) {
  return deviceError(
    "signature_missing",
    `Cannot install "${file}" without a signature: there is no "${file}.sig"`,
  );
}
