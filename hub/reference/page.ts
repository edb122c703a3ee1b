/** Generates `docs/reference/hub.md` from the table of endpoints and the messages of the push channel. */
import { FAULT_STATUS } from "../../protocol/fault.js";
import { type Endpoint, scopeOf } from "../api/endpoint.js";
import { ENDPOINTS } from "../api/endpoints.js";
import { API_PATH, faultsOf, isForAccounts } from "../api/openapi.js";
import type { Access } from "../auth/authentication.js";
import { DEVICE_MESSAGES, HUB_MESSAGES, shapeOf } from "./push-messages.js";

const WHO: Readonly<Record<Access, string>> = Object.freeze({
  anyone: "Needs no token.",
  bearer: "Takes any valid token: a device's, an account's or a publisher's.",
  device: "For the device itself, as `me`, or for the account that holds it, by the device's id.",
  account: "For accounts.",
  publisher: "For publishers.",
});

/** The page, without its heading comment. */
export function hubReference(): string {
  return [
    "# Endpoints of the hub\n",
    `Paths are below \`${API_PATH}\`; health, metrics and the description are also served without it. Send tokens as \`Authorization: Bearer …\`. The hub serves the same description as JSON at \`/openapi.json\` (OpenAPI 3.1).\n`,
    `Every endpoint can also fail with ${codes(commonFaults())}; all but health, metrics and the description, also with \`too_many_attempts\`; those that need a token, also with \`unauthorized\`.\n`,
    ...ENDPOINTS.map(section),
    "# Messages of the push channel\n",
    "A device holds a WebSocket at `/ws/device` with its token in `Authorization: Bearer …`, or at `/ws/device/{device_token}`, below `/api/v1` or not. Messages are JSON objects of at most 64 KiB with a `type`. The hub pings every 30 s. It closes with 4000 (the device has another connection), 1001 (the hub is stopping), 1008 (invalid messages) or 1009 (message too long).\n",
    "## From the hub\n",
    ...Object.entries(HUB_MESSAGES).map(message),
    "## From the device\n",
    ...Object.entries(DEVICE_MESSAGES).map(message),
  ].join("\n");
}

/** The faults that all rows share. */
function commonFaults(): readonly string[] {
  const sets = ENDPOINTS.map((row) => new Set<string>(faultsOf(row)));
  return Object.keys(FAULT_STATUS).filter((code) => sets.every((set) => set.has(code)));
}

function section(row: Endpoint): string {
  const common = new Set<string>([...commonFaults(), "too_many_attempts", "unauthorized"]);
  const refusals = faultsOf(row).filter((code) => !common.has(code));
  return [
    `## ${row.method} ${row.path.replaceAll(/:([a-z_]+)/g, "{$1}")}\n`,
    `${sentence(row.summary)} ${WHO[row.access]}${isForAccounts(row) ? ` Scope: \`${scopeOf(row)}\`.` : ""}\n`,
    ...(row.query ? [`Query\n\n\`\`\`\n${shapeOf(row.query)}\n\`\`\`\n`] : []),
    ...(row.body ? [`Request body: JSON\n\n\`\`\`\n${shapeOf(row.body)}\n\`\`\`\n`] : []),
    ...(row.multipart
      ? [`Request body: \`multipart/form-data\`\n\n\`\`\`\n${shapeOf(row.multipart)}\n\`\`\`\n`]
      : []),
    ...Object.entries(row.answers).map(answer),
    ...(refusals.length ? [`Fails with ${codes(refusals)}.\n`] : []),
  ].join("\n");
}

function answer([status, body]: [string, Endpoint["answers"][number]]): string {
  if (body === null) return `Answers ${status}.\n`;
  if (typeof body === "string") return `Answers ${status} with a file, \`${body}\`.\n`;
  return `Answers ${status} with\n\n\`\`\`\n${shapeOf(body)}\n\`\`\`\n`;
}

function message([type, { summary, members }]: [string, { summary: string; members: object }]): string {
  const rows = Object.entries(members).map(([name, meaning]) => `| \`${name}\` | ${meaning} |\n`);
  return `### ${type}\n\n${summary}\n\n| Member | Meaning |\n|---|---|\n${rows.join("")}`;
}

function codes(names: readonly string[]): string {
  return names.map((name) => `\`${name}\``).join(", ");
}

function sentence(text: string): string {
  return text.endsWith(".") ? text : `${text}.`;
}
