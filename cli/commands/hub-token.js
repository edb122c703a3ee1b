/** `svc hub token …`: replaces tokens of consoles and of the logged-in user. */
import { hubAccess, kindOf, readLogin, writeLogin } from "../hub/login.js";
import { requestHub } from "../hub/request.js";

/** @type {import("../command.js").Command} */
export const hubTokenRotate = Object.freeze({
  name: "hub token rotate",
  summary: "Has a console make a new token, or replaces your own; the old one ends.",
  parameters: [
    {
      name: "DEVICE_ID",
      summary: "a console of your account, as `svc hub devices` says; your own token when left out",
      isOptional: true,
    },
  ],
  options: [],
  async run({ values: { DEVICE_ID: deviceId } }) {
    if (deviceId !== undefined) return rotateDevice(deviceId);
    const access = await hubAccess(["account", "publisher"]);
    const kind = kindOf(access.token) ?? "account";
    /** @type {Record<string, string>} */
    const renewed = await requestHub({ ...access, method: "POST", path: `/${kind}/token` });
    const token = `${renewed[`${kind}_token`]}`;
    const isKept = await keep(access, kind, token);
    const told = isKept ? `the new ${kind} token is kept` : `token ${token}`;
    return { text: told, json: renewed };
  },
});

/** @param {string} deviceId */
async function rotateDevice(deviceId) {
  const access = await hubAccess(["account"]);
  const path = `/devices/${encodeURIComponent(deviceId)}/token`;
  /** @type {{ state: "sent" | "queued" }} */
  const asked = await requestHub({ ...access, method: "POST", path, json: {} });
  const when = asked.state === "sent" ? "now" : "when it connects";
  return { text: `the console makes a new token ${when}`, json: asked };
}

/**
 * Where the login is what the old one came from.
 *
 * @param {{ url: string, token: string }} old
 * @param {import("../hub/login.js").TokenKind} kind
 * @param {string} token
 */
async function keep({ url, token: old }, kind, token) {
  const login = await readLogin();
  if (login?.url !== url || login[`${kind}_token`] !== old) return false;
  await writeLogin({ ...login, [`${kind}_token`]: token });
  return true;
}
