/** `svc hub token …`: replaces tokens of consoles and of the logged-in user. */
import type { Command } from "../command.js";
import { hubAccess, kindOf, readLogin, type TokenKind, writeLogin } from "../hub/login.js";
import { requestHub } from "../hub/request.js";

export const hubTokenRotate: Command = Object.freeze<Command>({
  name: "hub token rotate",
  summary: "Replace your own token, or that of a console; the old one stops working.",
  parameters: [
    {
      name: "DEVICE_ID",
      summary: "id of a console of your account, as `svc hub devices` lists it; default: your own token",
      isOptional: true,
    },
  ],
  options: [],
  async run({ values: { DEVICE_ID: deviceId } }) {
    if (deviceId !== undefined) return rotateDevice(deviceId);
    const access = await hubAccess(["account", "publisher"]);
    const kind = kindOf(access.token) ?? "account";
    const renewed: Record<string, string> = await requestHub({
      ...access,
      method: "POST",
      path: `/${kind}/token`,
    });
    const token = `${renewed[`${kind}_token`]}`;
    const isKept = await keep(access, kind, token);
    const reported = isKept ? `stored the new ${kind} token` : `token ${token}`;
    return { text: reported, json: renewed };
  },
});

async function rotateDevice(deviceId: string) {
  const access = await hubAccess(["account"]);
  const path = `/devices/${encodeURIComponent(deviceId)}/token`;
  const asked: { state: "sent" | "queued" } = await requestHub({ ...access, method: "POST", path, json: {} });
  const when = asked.state === "sent" ? "now" : "when it connects";
  return { text: `the console replaces its token ${when}`, json: asked };
}

/** Where the login is what the old one came from. */
async function keep(
  { url, token: old }: { url: string; token: string },
  kind: TokenKind,
  token: string,
): Promise<boolean> {
  const login = await readLogin();
  if (login?.url !== url || login[`${kind}_token`] !== old) return false;
  await writeLogin({ ...login, [`${kind}_token`]: token });
  return true;
}
