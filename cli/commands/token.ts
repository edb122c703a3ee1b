/** `svc token`: prints the token that a console requires over the network, read over USB. */
import type { Command } from "../command.js";

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
