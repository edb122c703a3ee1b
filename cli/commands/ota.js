/** `svc ota …`: manages a console's firmware. */
import { advisedOnFirmware } from "../advice.js";
import { restart } from "../console/restart.js";
import { sendFile } from "../console/send-file.js";
import { deviceError } from "../device/client.js";
import { FIRMWARE_FILE_LIMIT_BYTES, readContent } from "../files.js";
import { bytesText, durationText } from "../terminal/units.js";
import { textTable } from "../text-table.js";

/** @typedef {import("../../protocol/device/answers.ts").OtaStatus} OtaStatus */
/** @typedef {import("../device/client.js").Device} Device */

/** @type {import("../command.js").Command} */
export const otaUpload = Object.freeze({
  name: "ota upload",
  summary: "Sends firmware to a console, which starts it on trial at its next restart.",
  parameters: [{ name: "FILE", summary: "a bundle (.svcfw), as `svc firmware pack` makes it", isFile: true }],
  options: [
    { name: "reboot", summary: "restarts the console into it" },
    { name: "wait", summary: "restarts it, and ends once it is back and runs the new firmware on trial" },
    { name: "confirm", summary: "waits, and keeps the new firmware" },
  ],
  isForConsole: true,
  notes: [
    "Firmware that nobody confirms is gone after the next restart, or when the time of its trial is up.",
  ],
  run: (call) => advisedOnFirmware(upload(call)),
});

/** @type {import("../command.js").Command} */
export const otaStatus = Object.freeze({
  name: "ota status",
  summary: "Says how an update stands, and how the last one ended.",
  parameters: [],
  options: [],
  isForConsole: true,
  async run({ device }) {
    const answer = await (await device()).otaStatus();
    return { text: textTable(rowsOf(answer)), json: answer };
  },
});

/** @type {import("../command.js").Command} */
export const otaConfirm = Object.freeze({
  name: "ota confirm",
  summary: "Keeps the firmware that runs on trial.",
  parameters: [],
  options: [],
  isForConsole: true,
  async run({ device }) {
    const answer = await (await device()).otaConfirm();
    return { text: `firmware ${answer.running_version} is confirmed`, json: answer };
  },
});

/** @param {import("../command.js").Call} call */
async function upload(call) {
  const { values, flags, signal } = call;
  const { FILE: file = "" } = values;
  const bytes = new Uint8Array(await readContent(file, FIRMWARE_FILE_LIMIT_BYTES));
  const device = await call.device();
  const isToWait = flags.has("wait") || flags.has("confirm");
  const isToReboot = flags.has("reboot") && !isToWait;
  const staged = await sendFile(call, {
    ...{ file, totalBytes: bytes.length, tells: "svc ota status" },
    send: (onProgress) => device.otaUpload({ file: bytes, isToReboot, onProgress, signal }),
  });
  if (isToWait) return tryOut(call, device, staged);
  const next = flags.has("reboot") ? "the console restarts into it" : "it starts with `svc reboot`";
  return { text: `firmware ${staged.staged_version} is staged; ${next}`, json: staged };
}

/** @param {import("../command.js").Call} call @param {Device} device @param {OtaStatus} staged */
async function tryOut(call, device, staged) {
  const back = await restart(call, device);
  const trial = await back.otaStatus();
  await requireTrial(trial, staged);
  if (call.flags.has("confirm")) {
    const confirmed = await back.otaConfirm();
    return { text: `firmware ${confirmed.running_version} is confirmed`, json: confirmed };
  }
  const left = durationText(trial.confirm_within_ms ?? 0);
  const text = `firmware ${trial.running_version} runs on trial; keep it with \`svc ota confirm\` within ${left}`;
  return { text, json: trial };
}

/** @param {OtaStatus} trial @param {OtaStatus} staged */
async function requireTrial(trial, staged) {
  if (trial.state === "pending_confirm" && trial.running_version === staged.staged_version) return;
  const { error, message } = trial.last_result ?? {};
  const why = message === undefined ? "" : `: ${message}`;
  throw await deviceError(
    error ?? "firmware_rolled_back",
    `Firmware ${staged.staged_version} did not start, ${trial.running_version} runs${why}`,
  );
}

/** @param {OtaStatus} status */
function rowsOf(status) {
  const { running_version, running_slot, staged_version, confirm_within_ms, available, last_result } = status;
  return [
    ["State", stateText(status)],
    ["Running", `${running_version} in slot ${running_slot}`],
    ...(staged_version === undefined ? [] : [["Staged", staged_version]]),
    ...(confirm_within_ms === undefined ? [] : [["Confirm within", durationText(confirm_within_ms)]]),
    ...(available ? [["Available", `${available.version}: \`svc shell ota apply\``]] : []),
    ...(last_result ? [["Last result", resultText(last_result)]] : []),
  ];
}

/** @param {OtaStatus} status */
function stateText({ state, received_bytes, total_bytes, progress_percent }) {
  if (state === "receiving")
    return `receiving, ${bytesText(received_bytes)} of ${bytesText(total_bytes)} (${progress_percent} %)`;
  return state === "pending_confirm" ? "on trial" : state;
}

/** @param {NonNullable<OtaStatus["last_result"]>} result */
function resultText({ result, version, error, message }) {
  const what = version === undefined ? result : `${version} ${result}`;
  const why = message ?? error;
  return (why === undefined ? what : `${what}: ${why}`).replaceAll("_", " ");
}
