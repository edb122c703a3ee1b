/** Endpoints below `/account/members`, `/account/tokens` and `/account/audit`. */
import Type, { type Static } from "typebox";
import { isoTime, oneOf, pageOf } from "../api/answers.js";
import { type Endpoint, endpoint } from "../api/endpoint.js";
import { LONG_PAGE_MEMBERS, NEXT } from "../api/keyset.js";
import { callerOf } from "../auth/authentication.js";
import { DAYS_LIMIT } from "../config/read-config.js";
import type { Row } from "../database/schema.js";
import { ROLES, readScopes, SCOPES } from "./scopes.js";
import type { TeamRow } from "./teams.js";

const ROW = Object.freeze({ tag: "Teams", access: "account", scope: "account" } as const);

const NAME = Type.String({ description: "1 to 64 characters" });
const ROLE = oneOf(
  ROLES,
  "`viewer` reads; `operator` also gives orders, and claims and releases consoles; `owner` may do everything",
);
const SCOPE = oneOf(SCOPES);
const TIME = Type.String({ format: "date-time" });
const TOKEN = Type.String({ description: "Returned only once" });

const MEMBER = Type.Object({ member_id: Type.String(), name: NAME, role: ROLE, created_at: TIME });
const NEW_MEMBER = Type.Object({ ...MEMBER.properties, token: TOKEN });
const MEMBER_PATH = Type.Object({ member_id: Type.String() });

const PROGRAM = Type.Object({
  token_id: Type.String(),
  name: NAME,
  scopes: Type.Array(SCOPE),
  created_at: TIME,
  expires_at: Type.Union([TIME, Type.Null()], { description: "`null` if it does not expire" }),
});
const NEW_PROGRAM = Type.Object({ ...PROGRAM.properties, token: TOKEN });

const ADD_MEMBER = endpoint({
  ...ROW,
  method: "POST",
  path: "/account/members",
  summary: "Add a member to the account, with a token of their own.",
  body: Type.Object({ name: NAME, role: ROLE }),
  answers: { 201: NEW_MEMBER },
  faults: ["too_many_tokens"],
  async handle({ teams }, { body, caller, reply }) {
    const { row, token } = await teams.addMember(accountOf(caller), body.name, body.role);
    reply.code(201);
    return { ...memberAnswer(row), token };
  },
});

const LIST_MEMBERS = endpoint({
  ...ROW,
  method: "GET",
  path: "/account/members",
  summary: "List the account's members.",
  answers: { 200: Type.Object({ members: Type.Array(MEMBER) }) },
  faults: [],
  handle: async ({ teams }, { caller }) => ({
    members: (await teams.list(accountOf(caller), "member")).map(memberAnswer),
  }),
});

const CHANGE_MEMBER = endpoint({
  ...ROW,
  method: "PUT",
  path: "/account/members/:member_id",
  summary: "Change a member's name or role. Their token stays valid.",
  parameters: MEMBER_PATH,
  body: Type.Object({ name: Type.Optional(NAME), role: Type.Optional(ROLE) }),
  answers: { 200: MEMBER },
  faults: ["member_not_found"],
  handle: async ({ teams }, { body, caller, parameters }) =>
    memberAnswer(await teams.changeMember(accountOf(caller), parameters.member_id, body)),
});

const RENEW_MEMBER = endpoint({
  ...ROW,
  method: "POST",
  path: "/account/members/:member_id/token",
  summary: "Replace a member's token. The previous token becomes invalid; the new one is returned only once.",
  parameters: MEMBER_PATH,
  answers: { 201: NEW_MEMBER },
  faults: ["member_not_found"],
  async handle({ teams }, { caller, parameters, reply }) {
    const { row, token } = await teams.renew(accountOf(caller), parameters.member_id);
    reply.code(201);
    return { ...memberAnswer(row), token };
  },
});

const REMOVE_MEMBER = endpoint({
  ...ROW,
  method: "DELETE",
  path: "/account/members/:member_id",
  summary: "Remove a member. Their token becomes invalid.",
  parameters: MEMBER_PATH,
  answers: { 204: null },
  faults: ["member_not_found"],
  async handle({ teams }, { caller, parameters, reply }) {
    await teams.remove(accountOf(caller), "member", parameters.member_id);
    return reply.code(204).send();
  },
});

const ADD_PROGRAM = endpoint({
  ...ROW,
  method: "POST",
  path: "/account/tokens",
  summary: "Create a token for a program, with the scopes that it needs.",
  body: Type.Object({
    name: NAME,
    scopes: Type.Array(SCOPE, { minItems: 1, maxItems: SCOPES.length }),
    expires_in_s: Type.Optional(
      Type.Integer({
        minimum: 60,
        maximum: DAYS_LIMIT * 24 * 3600,
        description: "Time after which it becomes invalid; by default, it does not expire.",
      }),
    ),
  }),
  answers: { 201: NEW_PROGRAM },
  faults: ["too_many_tokens"],
  async handle({ teams }, { body, caller, reply }) {
    const { name, scopes, expires_in_s } = body;
    const lifetimeMs = expires_in_s === undefined ? undefined : expires_in_s * 1000;
    const { row, token } = await teams.addProgram(accountOf(caller), { name, scopes, lifetimeMs });
    reply.code(201);
    return { ...programAnswer(row), token };
  },
});

const LIST_PROGRAMS = endpoint({
  ...ROW,
  method: "GET",
  path: "/account/tokens",
  summary: "List the account's tokens for programs, without the tokens themselves.",
  answers: { 200: Type.Object({ tokens: Type.Array(PROGRAM) }) },
  faults: [],
  handle: async ({ teams }, { caller }) => ({
    tokens: (await teams.list(accountOf(caller), "program")).map(programAnswer),
  }),
});

const REMOVE_PROGRAM = endpoint({
  ...ROW,
  method: "DELETE",
  path: "/account/tokens/:token_id",
  summary: "Invalidate a program's token.",
  parameters: Type.Object({ token_id: Type.String() }),
  answers: { 204: null },
  faults: ["token_not_found"],
  async handle({ teams }, { caller, parameters, reply }) {
    await teams.remove(accountOf(caller), "program", parameters.token_id);
    return reply.code(204).send();
  },
});

const AUDIT_ENTRY = Type.Object({
  at: TIME,
  actor: oneOf(
    ["account", "member", "program", "operator", "hub"],
    "`account`: the account's own token; `operator`: the operator of the hub; `hub`: the hub itself",
  ),
  actor_id: Type.Optional(Type.String({ description: "Of the member, or of the program's token" })),
  actor_name: Type.Optional(Type.String()),
  action: Type.String({ description: "`DELETE /devices/{device_id}/apps/{app_id}`" }),
  names: Type.Object({}, { additionalProperties: true, description: "The names in the path" }),
  address: Type.String({ description: "Of the client" }),
  status: Type.Integer({ description: "Of the answer" }),
});

const AUDIT = endpoint({
  ...ROW,
  method: "GET",
  path: "/account/audit",
  summary: "List what was done with the tokens of the account, newest first: every request but reads.",
  query: Type.Object({ per_page: LONG_PAGE_MEMBERS.per_page, after: LONG_PAGE_MEMBERS.after }),
  answers: { 200: Type.Object({ next: NEXT, entries: Type.Array(AUDIT_ENTRY) }) },
  faults: [],
  async handle({ audit }, { caller, query }) {
    const { entries, next } = await audit.list(accountOf(caller), pageOf(query));
    return { ...(next !== undefined && { next }), entries: entries.map(auditAnswer) };
  },
});

function auditAnswer(row: Row<"audit">): Static<typeof AUDIT_ENTRY> {
  const { at, actor, actor_id, actor_name, action, names, address, status } = row;
  return {
    ...{ at: isoTime(at), actor, action, names: JSON.parse(names), address, status },
    ...(actor_id !== null && { actor_id }),
    ...(actor_name !== null && { actor_name }),
  };
}

function accountOf(caller: Parameters<typeof callerOf>[1]): string {
  return callerOf("account", caller).accountId;
}

function memberAnswer({ id, name, role, created_at }: TeamRow): Static<typeof MEMBER> {
  if (role === null) throw new Error(`Member "${id}" has no role`);
  return { member_id: id, name, role, created_at: isoTime(created_at) };
}

function programAnswer({ id, name, scopes, created_at, expires_at }: TeamRow): Static<typeof PROGRAM> {
  return {
    ...{ token_id: id, name, scopes: [...readScopes(scopes)] },
    ...{ created_at: isoTime(created_at), expires_at: isoTime(expires_at) },
  };
}

export const TEAM_ENDPOINTS: readonly Endpoint[] = Object.freeze([
  ...[ADD_MEMBER, LIST_MEMBERS, CHANGE_MEMBER, RENEW_MEMBER, REMOVE_MEMBER],
  ...[ADD_PROGRAM, LIST_PROGRAMS, REMOVE_PROGRAM, AUDIT],
]);
