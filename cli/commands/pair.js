/** `svc pair`: reads the console's network token over the cable, and stores it. */
import { keepPaired, pairedFile } from "../device/paired-consoles.js";

/** @type {import("../command.js").Command} */
export const pair = Object.freeze({
  name: "pair",
  summary: "Keep a console's token, read over USB, for later commands over the network.",
  parameters: [],
  options: [],
  isForConsole: true,
  notes: [
    "Over USB alone: the cable shows that the console is yours. Pair again after `svc token --replace`.",
    "`svc` sends the token to the console of that name, or at the address that it had. A token named by --token or SVC_DEVICE_TOKEN comes first.",
  ],
  async run({ device: open, output, signal }) {
    const device = await open();
    const { token, required } = await device.accessToken();
    const [{ name, mac }, { wifi_ip: host }] = [await device.system(signal), await device.status(signal)];
    await keepPaired({ name, mac, host, token });
    if (!required) output.note("This console asks for no token: it was built without CONFIG_SVC_PAIRING.");
    const file = pairedFile();
    return { text: `paired with ${name}, kept in ${file}`, json: { name, mac, file } };
  },
});
