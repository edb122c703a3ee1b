/** `svc wifi …`: manages a console's Wi-Fi, over USB. */
import type { WifiStatus } from "../../protocol/device/answers.js";
import type { Command } from "../command.js";
import { SvcError } from "../svc-error.js";
import { askSecret } from "../terminal/ask-secret.js";
import { textTable } from "../terminal/format.js";

const NOTES = Object.freeze(["Works over USB only: the cable proves that the console is yours."]);

export const wifiStatus: Command = Object.freeze<Command>({
  name: "wifi status",
  summary: "Show the Wi-Fi network and address of a console.",
  parameters: [],
  options: [],
  isForConsole: true,
  notes: NOTES,
  async run({ device }) {
    const answer = await (await device()).wifi();
    return { text: textTable(rowsOf(answer)), json: answer };
  },
});

export const wifiScan: Command = Object.freeze<Command>({
  name: "wifi scan",
  summary: "List the Wi-Fi networks in range of a console.",
  parameters: [],
  options: [],
  isForConsole: true,
  notes: NOTES,
  async run({ device }) {
    const found = await (await device()).scanWifi();
    const rows = found.networks.map(({ ssid, rssi, channel, secured }) => {
      return [ssid, `${rssi} dBm`, `channel ${channel}`, secured ? "secured" : "open"];
    });
    const text = textTable(rows);
    return { text: found.more ? `${text}\nThere are more, with weaker signals.` : text, json: found };
  },
});

export const wifiJoin: Command = Object.freeze<Command>({
  name: "wifi join",
  summary: "Connect a console to a Wi-Fi network, also after restarts.",
  parameters: [{ name: "SSID", summary: "name of the network" }],
  options: [
    {
      name: "password",
      value: "PASSWORD",
      summary: "password of the network; default: read from standard input",
    },
    { name: "open", summary: "join a network without a password" },
  ],
  isForConsole: true,
  notes: [...NOTES, "`svc wifi status` shows whether the console has joined."],
  async run({ values: { SSID: ssid = "", password }, flags, device: find, signal }) {
    const isOpen = flags.has("open");
    if (isOpen && password !== undefined)
      throw new SvcError("wrong_usage", "Cannot join a network with both --password and --open");
    if (password !== undefined) requireSecret(ssid, password);
    const device = await find();
    const asked = { what: "password", option: "--password PASSWORD", signal };
    const secret = isOpen ? undefined : (password ?? (await askSecret(asked)));
    if (secret !== undefined) requireSecret(ssid, secret);
    const answer = await device.joinWifi(ssid, secret);
    return { text: `joining ${ssid}; check with \`svc wifi status\``, json: answer };
  },
});

export const wifiForget: Command = Object.freeze<Command>({
  name: "wifi forget",
  summary: "Disconnect a console from its Wi-Fi network and forget the password.",
  parameters: [],
  options: [],
  isForConsole: true,
  notes: NOTES,
  async run({ device }) {
    return { text: "network forgotten", json: await (await device()).forgetWifi() };
  },
});

/** An empty password is usually a mistake: the console would join an open network, and forget its stored password. */
function requireSecret(ssid: string, secret: string): void {
  if (secret !== "") return;
  throw new SvcError("wrong_usage", `Cannot join "${ssid}" with an empty password`, {
    advice: "Use --open for a network without a password.",
  });
}

function rowsOf({ state, ssid, ip, rssi, last_error }: WifiStatus): string[][] {
  return [
    ["State", state],
    ...(ssid === undefined ? [] : [["Network", ssid]]),
    ...(ip === "" ? [] : [["Address", ip]]),
    ...(rssi === 0 ? [] : [["Signal", `${rssi} dBm`]]),
    ...(last_error ? [["Last error", `${last_error.reason}: ${last_error.message}`]] : []),
  ];
}
