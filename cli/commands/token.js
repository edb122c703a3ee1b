/** `svc token`: prints the token that a console requires over the network, read over USB. */

/** @type {import("../command.js").Command} */
export const token = Object.freeze({
  name: "token",
  summary: "Shows the token that a console asks for in the network, over USB.",
  parameters: [],
  options: [{ name: "replace", summary: "makes a new one; the old one is worthless then" }],
  isForConsole: true,
  notes: [
    "`svc --token TOKEN`, or SVC_DEVICE_TOKEN, uses it. Over USB alone: whoever holds the cable owns the console.",
  ],
  async run({ flags, device: open, output }) {
    const device = await open();
    const answer = flags.has("replace") ? await device.replaceAccessToken() : await device.accessToken();
    if (!answer.required)
      output.note(
        "This console asks nobody for it: it was built without CONFIG_SVC_HTTP_AUTH and CONFIG_SVC_PAIRING.",
      );
    return { text: answer.token, json: answer };
  },
});
