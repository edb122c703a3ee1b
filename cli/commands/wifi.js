/** `svc wifi …`: manages a console's Wi-Fi, over USB. */
import { SvcError } from "../svc-error.js";
import { askSecret } from "../terminal/ask-secret.js";
import { textTable } from "../text-table.js";

/** @typedef {import("../../protocol/device/answers.ts").WifiStatus} WifiStatus */

const NOTES = Object.freeze(["Over USB alone: whoever holds the cable owns the console."]);

/** @type {import("../command.js").Command} */
export const wifiStatus = Object.freeze({
  name: "wifi status",
  summary: "Says which network a console is in.",
  parameters: [],
  options: [],
  isForConsole: true,
  notes: NOTES,
  async run({ device }) {
    const answer = await (await device()).wifi();
    return { text: textTable(rowsOf(answer)), json: answer };
  },
});

/** @type {import("../command.js").Command} */
export const wifiScan = Object.freeze({
  name: "wifi scan",
  summary: "Lists the networks that a console hears.",
  parameters: [],
  options: [],
  isForConsole: true,
  notes: NOTES,
  async run({ device }) {
    const networks = await (await device()).scanWifi();
    const rows = networks.map(({ ssid, rssi, channel, secured }) => {
      return [ssid, `${rssi} dBm`, `channel ${channel}`, secured ? "secured" : "open"];
    });
    return { text: textTable(rows), json: { networks } };
  },
});

/** @type {import("../command.js").Command} */
export const wifiJoin = Object.freeze({
  name: "wifi join",
  summary: "Gives a console a network, which it keeps.",
  parameters: [{ name: "SSID", summary: "the network's name" }],
  options: [
    { name: "password", value: "PASSWORD", summary: "read from standard input when left out" },
    { name: "open", summary: "the network has no password" },
  ],
  isForConsole: true,
  notes: [...NOTES, "How joining goes says `svc wifi status`."],
  async run({ values: { SSID: ssid = "", password }, flags, device: find, signal }) {
    const isOpen = flags.has("open");
    if (isOpen && password !== undefined)
      throw new SvcError(
        "wrong_usage",
        "Cannot join a network with --password and --open: it has one or none",
      );
    if (password !== undefined) requireSecret(ssid, password);
    const device = await find();
    const secret = isOpen ? undefined : (password ?? (await askSecret("Password: ", signal)));
    if (secret !== undefined) requireSecret(ssid, secret);
    const answer = await device.joinWifi(ssid, secret);
    return { text: `joining ${ssid}; \`svc wifi status\` says how it goes`, json: answer };
  },
});

/** @type {import("../command.js").Command} */
export const wifiForget = Object.freeze({
  name: "wifi forget",
  summary: "Has a console leave its network, for good.",
  parameters: [],
  options: [],
  isForConsole: true,
  notes: NOTES,
  async run({ device }) {
    return { text: "the network is forgotten", json: await (await device()).forgetWifi() };
  },
});

/**
 * A slip, most often: the console would take it for a network without one, and forget the password that it has.
 *
 * @param {string} ssid
 * @param {string} secret
 */
function requireSecret(ssid, secret) {
  if (secret !== "") return;
  throw new SvcError("wrong_usage", `Cannot join "${ssid}" with an empty password`, {
    advice: "--open joins a network that has none.",
  });
}

/** @param {WifiStatus} status */
function rowsOf({ state, ssid, ip, rssi, last_error }) {
  return [
    ["State", state],
    ...(ssid === undefined ? [] : [["Network", ssid]]),
    ...(ip === "" ? [] : [["Address", ip]]),
    ...(rssi === 0 ? [] : [["Signal", `${rssi} dBm`]]),
    ...(last_error ? [["Last error", `${last_error.reason}: ${last_error.message}`]] : []),
  ];
}
