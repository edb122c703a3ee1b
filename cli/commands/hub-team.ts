/**
 * `svc hub account members …`, `svc hub account tokens …` and `svc hub account audit`: who may use your account, and what was
 * done with it (docs/spec/hub-api.md#members).
 */
import {
  ADDED_MEMBER,
  AUDIT,
  type AuditEntry,
  MEMBER as MEMBER_ANSWER,
  MEMBERS,
  type Member,
  NEW_MEMBER,
  NEW_PROGRAM,
  PROGRAMS,
  ROLES,
  SCOPES,
} from "../../protocol/hub/answers/team.js";
import type { Command } from "../command.js";
import {
  askAccount,
  NEWEST_OPTIONS,
  newestEntries,
  noteNext,
  numberFrom1,
  pathId,
} from "../hub/account-request.js";
import { NOTHING } from "../hub/request.js";
import { textTable } from "../terminal/format.js";

const MEMBER = { name: "MEMBER_ID", summary: "id of the member, as `svc hub account members list` shows it" };

const memberPath = (id: string) => `/account/members/${pathId(id)}`;

/** How they get in: with a token, or by signing in. */
function entranceOf({ email, identity }: Member): string {
  if (email === undefined) return "token";
  return identity ? email : `${email} (invited)`;
}

export const hubMembersList: Command = Object.freeze<Command>({
  name: "hub account members list",
  summary: "List the members of your account.",
  parameters: [],
  options: [],
  async run() {
    const { members } = await askAccount(MEMBERS, "GET", "/account/members");
    const rows = members.map((member) => [member.member_id, member.role, entranceOf(member), member.name]);
    return { text: textTable(rows), json: { members } };
  },
});

export const hubMembersAdd: Command = Object.freeze<Command>({
  name: "hub account members add",
  summary:
    "Add a member to your account and print their token, which is not shown again; or invite them by e-mail address.",
  parameters: [{ name: "NAME", summary: "name of the member" }],
  options: [
    { name: "role", value: "ROLE", summary: "what they may do", isRequired: true, choices: ROLES },
    {
      name: "email",
      value: "ADDRESS",
      summary: "address with which they sign in by OpenID Connect, instead of with a token",
    },
  ],
  async run({ values: { NAME: name = "", role, email } }) {
    const invited = email === undefined ? {} : { email };
    const body = { name, role, ...invited };
    const added = await askAccount(ADDED_MEMBER, "POST", "/account/members", body);
    const entrance = added.token === undefined ? `invited ${added.email}` : `token ${added.token}`;
    return { text: `member ${added.member_id}\n${entrance}`, json: added };
  },
});

export const hubMembersRole: Command = Object.freeze<Command>({
  name: "hub account members role",
  summary: "Change the role of a member; it holds at once.",
  parameters: [MEMBER, { name: "ROLE", summary: "what they may do", choices: ROLES }],
  options: [],
  async run({ values: { MEMBER_ID: id = "", ROLE: role } }) {
    const member = await askAccount(MEMBER_ANSWER, "PUT", memberPath(id), { role });
    return { text: `${member.name} is ${member.role}`, json: member };
  },
});

export const hubMembersToken: Command = Object.freeze<Command>({
  name: "hub account members token",
  summary: "Print a new token for a member, which is not shown again; the old one stops working.",
  parameters: [MEMBER],
  options: [],
  async run({ values: { MEMBER_ID: id = "" } }) {
    const renewed = await askAccount(NEW_MEMBER, "POST", `${memberPath(id)}/token`, {});
    return { text: `token ${renewed.token}`, json: renewed };
  },
});

export const hubMembersSignOut: Command = Object.freeze<Command>({
  name: "hub account members sign-out",
  summary: "End the sessions of a member who has signed in; they may sign in again.",
  parameters: [MEMBER],
  options: [],
  async run({ values: { MEMBER_ID: id = "" } }) {
    await askAccount(NOTHING, "DELETE", `${memberPath(id)}/sessions`);
    return { text: `signed out ${id}`, json: { member_id: id, state: "signed_out" } };
  },
});

export const hubMembersRemove: Command = Object.freeze<Command>({
  name: "hub account members remove",
  summary: "Remove a member from your account; their token and sessions end.",
  parameters: [MEMBER],
  options: [],
  async run({ values: { MEMBER_ID: id = "" } }) {
    await askAccount(NOTHING, "DELETE", memberPath(id));
    return { text: `removed ${id}`, json: { member_id: id, state: "removed" } };
  },
});

export const hubTokensList: Command = Object.freeze<Command>({
  name: "hub account tokens list",
  summary: "List the tokens of programs that use your account.",
  parameters: [],
  options: [],
  async run() {
    const { tokens } = await askAccount(PROGRAMS, "GET", "/account/tokens");
    const rows = tokens.map(({ token_id, name, scopes, expires_at }) => [
      ...[token_id, scopes.join(","), expires_at === null ? "does not expire" : `until ${expires_at}`, name],
    ]);
    return { text: textTable(rows), json: { tokens } };
  },
});

const DAY_S = 24 * 3600;

export const hubTokensCreate: Command = Object.freeze<Command>({
  name: "hub account tokens create",
  summary: "Create a token for a program that uses your account, and print it; it is not shown again.",
  parameters: [{ name: "NAME", summary: "name of the program" }],
  options: [
    {
      name: "scope",
      value: "SCOPE",
      summary: "what it may do; give several times for several scopes",
      isRequired: true,
      isRepeatable: true,
      choices: SCOPES,
    },
    { name: "days", value: "NUMBER", summary: "days after which it ends; default: it does not end" },
  ],
  async run({ values: { NAME: name = "", days }, lists: { scope: scopes = [] } }) {
    const expiry = days === undefined ? {} : { expires_in_s: numberFrom1("days", days) * DAY_S };
    const body = { name, scopes, ...expiry };
    const created = await askAccount(NEW_PROGRAM, "POST", "/account/tokens", body);
    return { text: `id ${created.token_id}\ntoken ${created.token}`, json: created };
  },
});

export const hubTokensRevoke: Command = Object.freeze<Command>({
  name: "hub account tokens revoke",
  summary: "End the token of a program.",
  parameters: [{ name: "TOKEN_ID", summary: "id of the token, as `svc hub account tokens list` shows it" }],
  options: [],
  async run({ values: { TOKEN_ID: id = "" } }) {
    await askAccount(NOTHING, "DELETE", `/account/tokens/${pathId(id)}`);
    return { text: `revoked ${id}`, json: { token_id: id, state: "revoked" } };
  },
});

export const hubAudit: Command = Object.freeze<Command>({
  name: "hub account audit",
  summary:
    "List what was done with your account, newest first: when, who, what, from where, with which status.",
  parameters: [],
  options: NEWEST_OPTIONS,
  async run({ values, output }) {
    const { entries, next } = await newestEntries(AUDIT, "/account/audit", "entries", values);
    const rows = entries.map((entry) => [
      ...[entry.at, actorText(entry), `${entry.status}`, entry.address, actionText(entry)],
    ]);
    noteNext(output, next);
    return { text: textTable(rows), json: { entries, ...(next !== undefined && { next }) } };
  },
});

function actorText({ actor, actor_name, via }: AuditEntry): string {
  const name = actor_name === undefined ? "" : ` ${actor_name}`;
  return `${actor}${name}${via === undefined ? "" : ` (${via})`}`;
}

/** `DELETE /devices/4f…/apps/chess` */
function actionText({ action, names }: AuditEntry): string {
  return action.replace(/\{([a-z_]+)\}/g, (whole, name) =>
    Object.hasOwn(names, name) ? `${names[name]}` : whole,
  );
}
