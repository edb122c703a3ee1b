/**
 * `svc pair` and `svc token`: read over USB the token that a console requires over the network, and store or print
 * it.
 */
import type { Command } from "../command.js";
import { keepPaired } from "../device/paired-consoles.js";

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
    const file = await keepPaired({ name, mac, host, token });
    if (!required) output.note("This console requires no token: it was built without CONFIG_SVC_PAIRING.");
    return { text: `paired with ${name}; stored in ${file}`, json: { name, mac, file } };
  },
});

export const token: Command = Object.freeze<Command>({
  name: "token",
  summary: "Print the token that a console requires over the network, read over USB.",
  parameters: [],
  options: [{ name: "replace", summary: "replace the token; the old one stops working" }],
  isForConsole: true,
  notes: [
    "Use the token with --token or SVC_DEVICE_TOKEN. This command works over USB only: the cable proves that the console is yours.",
  ],
  async run({ flags, device: open, output }) {
    const device = await open();
    const answer = flags.has("replace") ? await device.replaceAccessToken() : await device.accessToken();
    if (!answer.required)
      output.note(
        "This console does not require the token: it was built without CONFIG_SVC_HTTP_AUTH and CONFIG_SVC_PAIRING.",
      );
    return { text: answer.token, json: answer };
  },
});
