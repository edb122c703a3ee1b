/** `svc pair`: reads the console's network token over the cable, and stores it. */
import type { Command } from "../command.js";
import { keepPaired, pairedFile } from "../device/paired-consoles.js";

export const pair: Command = Object.freeze<Command>({
  name: "pair",
  summary: "Read the token of a console over USB and store it for later commands over the network.",
  parameters: [],
  options: [],
  isForConsole: true,
  notes: [
    "Works over USB only, which proves that the console is yours. Pair again after `svc token --replace`.",
    "svc sends the token to the console of that name, or at the address that it had when paired. --token and SVC_DEVICE_TOKEN take precedence.",
  ],
  async run({ device: open, output, signal }) {
    const device = await open();
    const { token, required } = await device.accessToken();
    const [{ name, mac }, { wifi_ip: host }] = [await device.system(signal), await device.status(signal)];
    await keepPaired({ name, mac, host, token });
    if (!required) output.note("This console requires no token: it was built without CONFIG_SVC_PAIRING.");
    const file = pairedFile();
    return { text: `paired with ${name}; stored in ${file}`, json: { name, mac, file } };
  },
});
