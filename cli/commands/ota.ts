/** `svc ota …`: manages a console's firmware. */
import type { Device } from "../../device-client/device.js";
import type { OtaStatus } from "../../protocol/device/answers.js";
import { advisedOnFirmware } from "../advice.js";
import type { Call, Command } from "../command.js";
import { restart } from "../console/restart.js";
import { sendFile } from "../console/send-file.js";
import { deviceError } from "../device/client.js";
import { FIRMWARE_FILE_LIMIT_BYTES, readContent } from "../files.js";
import { bytesText, durationText, textTable } from "../terminal/format.js";

export const otaUpload: Command = Object.freeze<Command>({
  name: "ota upload",
  summary: "Send firmware to a console, which runs it on trial after its next restart.",
  parameters: [{ name: "FILE", summary: "firmware bundle (.svcfw) from `svc firmware pack`", isFile: true }],
  options: [
    { name: "reboot", summary: "restart the console into the new firmware" },
    { name: "wait", summary: "restart the console and wait until it runs the new firmware on trial" },
    { name: "confirm", summary: "wait, then keep the new firmware" },
  ],
  isForConsole: true,
  notes: [
    "Without `svc ota confirm`, the console returns to the old firmware at the next restart or when the trial time is over.",
  ],
  run: (call) => advisedOnFirmware(upload(call)),
});

export const otaStatus: Command = Object.freeze<Command>({
  name: "ota status",
  summary: "Show the state of a firmware update, and the result of the last one.",
  parameters: [],
  options: [],
  isForConsole: true,
  async run({ device }) {
    const answer = await (await device()).otaStatus();
    return { text: textTable(rowsOf(answer)), json: answer };
  },
});

export const otaConfirm: Command = Object.freeze<Command>({
  name: "ota confirm",
  summary: "Keep the firmware that runs on trial.",
  parameters: [],
  options: [],
  isForConsole: true,
  async run({ device }) {
    const answer = await (await device()).otaConfirm();
    return { text: `firmware ${answer.running_version} is confirmed`, json: answer };
  },
});

async function upload(call: Call) {
  const { values, flags, signal } = call;
  const { FILE: file = "" } = values;
  const bytes = new Uint8Array(await readContent(file, FIRMWARE_FILE_LIMIT_BYTES));
  const device = await call.device();
  const isToWait = flags.has("wait") || flags.has("confirm");
  const isToReboot = flags.has("reboot") && !isToWait;
  const staged = await sendFile(call, {
    file,
    totalBytes: bytes.length,
    tells: "svc ota status",
    send: (onProgress) => device.otaUpload({ file: bytes, isToReboot, onProgress, signal }),
  });
  if (isToWait) return tryOut(call, device, staged);
  const next = flags.has("reboot") ? "the console restarts into it" : "start it with `svc reboot`";
  return { text: `firmware ${staged.staged_version} is staged; ${next}`, json: staged };
}

async function tryOut(call: Call, device: Device, staged: OtaStatus) {
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

async function requireTrial(trial: OtaStatus, staged: OtaStatus): Promise<void> {
  if (trial.state === "pending_confirm" && trial.running_version === staged.staged_version) return;
  const { error, message } = trial.last_result ?? {};
  const why = message === undefined ? "" : `: ${message}`;
  throw await deviceError(
    error ?? "firmware_rolled_back",
    `Firmware ${staged.staged_version} did not start; the console runs ${trial.running_version}${why}`,
  );
}

function rowsOf(status: OtaStatus): string[][] {
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

function stateText({ state, received_bytes, total_bytes, progress_percent }: OtaStatus): string {
  if (state === "receiving")
    return `receiving, ${bytesText(received_bytes)} of ${bytesText(total_bytes)} (${progress_percent} %)`;
  return state === "pending_confirm" ? "on trial" : state;
}

function resultText({ result, version, error, message }: NonNullable<OtaStatus["last_result"]>): string {
  const what = version === undefined ? result : `${version} ${result}`;
  const why = message ?? error;
  return (why === undefined ? what : `${what}: ${why}`).replaceAll("_", " ");
}
