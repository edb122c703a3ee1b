/** `svc reboot`. */
import type { Command } from "../command.js";
import { restart } from "../console/restart.js";
import { durationText } from "../terminal/units.js";

export const reboot: Command = Object.freeze<Command>({
  name: "reboot",
  summary: "Restart a console.",
  parameters: [],
  options: [{ name: "wait", summary: "wait until the console is back" }],
  isForConsole: true,
  async run(call) {
    const device = await call.device();
    if (!call.flags.has("wait")) {
      return { text: "the console restarts", json: await device.reboot() };
    }
    const beginMs = performance.now();
    const status = await (await restart(call, device)).status(call.signal);
    const took = durationText(performance.now() - beginMs);
    return { text: `the console is back after ${took}; it runs firmware ${status.fw_version}`, json: status };
  },
});
