/** `svc reboot`. */
import { restart } from "../console/restart.js";
import { durationText } from "../terminal/units.js";

/** @type {import("../command.js").Command} */
export const reboot = Object.freeze({
  name: "reboot",
  summary: "Restarts a console.",
  parameters: [],
  options: [{ name: "wait", summary: "ends once it is back" }],
  isForConsole: true,
  async run(call) {
    const device = await call.device();
    if (!call.flags.has("wait")) {
      return { text: "the console restarts", json: await device.reboot() };
    }
    const beginMs = performance.now();
    const status = await (await restart(call, device)).status(call.signal);
    const took = durationText(performance.now() - beginMs);
    return { text: `the console is back after ${took}, with firmware ${status.fw_version}`, json: status };
  },
});
