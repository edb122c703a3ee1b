/** Endpoints below `/account/members`, `/account/tokens` and `/account/audit`. */
import Type from "typebox";
import { Fault } from "../../protocol/fault.js";
import {
  ADDED_MEMBER,
  AUDIT,
  type AuditEntry,
  EMAIL,
  MEMBER,
  MEMBERS,
  type Member,
  NAME,
  NEW_MEMBER,
  NEW_PROGRAM,
  PROGRAMS,
  type Program,
  ROLE,
  SCOPE,
  SCOPES,
} from "../../protocol/hub/answers/team.js";
import { listOf, object, text, time } from "../../protocol/schema.js";
import { isoTime, pageOf } from "../api/answers.js";
import { type Endpoint, endpoint } from "../api/endpoint.js";
import { LONG_PAGE_MEMBERS } from "../api/keyset.js";
import { callerOf } from "../auth/authentication.js";
import { DAYS_LIMIT } from "../config/read-config.js";
import type { Row } from "../database/schema.js";
import { readScopes } from "./scopes.js";
import type { SessionRow } from "./sessions.js";
import type { TeamRow } from "./teams.js";

const ROW = Object.freeze({ tag: "Teams", access: "account", scope: "account" } as const);

const MEMBER_PATH = Type.Object({ member_id: Type.String() });

const ADD_MEMBER = endpoint({
  ...ROW,
  method: "POST",
  path: "/account/members",
  summary: "Add a member to the account: with a token of their own, or with `email`, who signs in.",
  body: Type.Object({ name: NAME, role: ROLE, email: Type.Optional(EMAIL) }),
  answers: { 201: ADDED_MEMBER },
  faults: ["too_many_tokens", "email_taken", "sign_in_off"],
  async handle({ teams }, { body: { name, role, email }, caller, reply }) {
    reply.code(201);
    if (email !== undefined) return memberAnswer(await teams.invite(accountOf(caller), name, role, email));
    const { row, token } = await teams.addMember(accountOf(caller), name, role);
    return { ...memberAnswer(row), token };
  },
});

const LIST_MEMBERS = endpoint({
  ...ROW,
  method: "GET",
  path: "/account/members",
  summary: "List the account's members.",
  answers: { 200: MEMBERS },
  faults: [],
  handle: async ({ teams }, { caller }) => ({
    members: (await teams.list(accountOf(caller), "member")).map(memberAnswer),
  }),
});

const CHANGE_MEMBER = endpoint({
  ...ROW,
  method: "PUT",
  path: "/account/members/:member_id",
  summary: "Change a member's name, role or e-mail address. Their token stays valid.",
  parameters: MEMBER_PATH,
  body: Type.Object({
    name: Type.Optional(NAME),
    role: Type.Optional(ROLE),
    email: Type.Optional(
      Type.String({
        description:
          'Another one ends their sessions, and invites them anew; with `""`, they no longer sign in',
      }),
    ),
  }),
  answers: { 200: MEMBER },
  faults: ["member_not_found", "email_taken", "sign_in_off"],
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

const SESSION = object({ session_id: text(), created_at: time(), expires_at: time() });
const SESSIONS = object({ sessions: listOf(SESSION) });

const LIST_SESSIONS = endpoint({
  ...ROW,
  method: "GET",
  path: "/account/members/:member_id/sessions",
  summary: "List a member's sessions, the newest first.",
  parameters: MEMBER_PATH,
  answers: { 200: SESSIONS },
  faults: ["member_not_found"],
  async handle({ sessions, teams }, { caller, parameters }) {
    const { id } = await teams.member(accountOf(caller), parameters.member_id);
    return { sessions: (await sessions.list(id)).map(sessionAnswer) };
  },
});

const END_SESSIONS = endpoint({
  ...ROW,
  method: "DELETE",
  path: "/account/members/:member_id/sessions",
  summary: "End a member's sessions. They may sign in again.",
  parameters: MEMBER_PATH,
  answers: { 204: null },
  faults: ["member_not_found"],
  async handle({ sessions, teams }, { caller, parameters, reply }) {
    const { id } = await teams.member(accountOf(caller), parameters.member_id);
    await sessions.endAll(id);
    return reply.code(204).send();
  },
});

const SIGN_OUT = endpoint({
  ...ROW,
  scope: "read",
  method: "DELETE",
  path: "/account/session",
  summary: "Sign out: end the session that the token is of.",
  answers: { 204: null },
  faults: ["session_not_found"],
  async handle({ sessions }, { caller, reply }) {
    const { member, sessionId } = callerOf("account", caller);
    if (!member || sessionId === undefined)
      throw new Fault("session_not_found", "This token is not that of a session");
    await sessions.end(member.id, sessionId);
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
  answers: { 200: PROGRAMS },
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

const LIST_AUDIT = endpoint({
  ...ROW,
  method: "GET",
  path: "/account/audit",
  summary: "List what was done with the tokens of the account, newest first: every request but reads.",
  query: Type.Object({ per_page: LONG_PAGE_MEMBERS.per_page, after: LONG_PAGE_MEMBERS.after }),
  answers: { 200: AUDIT },
  faults: [],
  async handle({ audit }, { caller, query }) {
    const { entries, next } = await audit.list(accountOf(caller), pageOf(query));
    return { ...(next !== undefined && { next }), entries: entries.map(auditAnswer) };
  },
});

function auditAnswer(row: Row<"audit">): AuditEntry {
  const { at, actor, actor_id, actor_name, via, action, names, address, status } = row;
  return {
    at: isoTime(at),
    actor,
    action,
    names: JSON.parse(names),
    address,
    status,
    ...(actor_id !== null && { actor_id }),
    ...(actor_name !== null && { actor_name }),
    ...(via !== null && { via }),
  };
}

function accountOf(caller: Parameters<typeof callerOf>[1]): string {
  return callerOf("account", caller).accountId;
}

function memberAnswer(row: TeamRow): Member {
  const { id, name, role, created_at, email, issuer, subject } = row;
  if (role === null) throw new Error(`Member "${id}" has no role`);
  return {
    member_id: id,
    name,
    role,
    created_at: isoTime(created_at),
    ...(email !== null && { email }),
    ...(issuer !== null && subject !== null && { identity: { issuer, subject } }),
  };
}

function sessionAnswer({ id, created_at, expires_at }: SessionRow) {
  return { session_id: id, created_at: isoTime(created_at), expires_at: isoTime(expires_at) };
}

function programAnswer({ id, name, scopes, created_at, expires_at }: TeamRow): Program {
  return {
    token_id: id,
    name,
    scopes: [...readScopes(scopes)],
    created_at: isoTime(created_at),
    expires_at: isoTime(expires_at),
  };
}

export const TEAM_ENDPOINTS: readonly Endpoint[] = Object.freeze([
  ...[ADD_MEMBER, LIST_MEMBERS, CHANGE_MEMBER, RENEW_MEMBER, REMOVE_MEMBER],
  ...[LIST_SESSIONS, END_SESSIONS, SIGN_OUT],
  ...[ADD_PROGRAM, LIST_PROGRAMS, REMOVE_PROGRAM, LIST_AUDIT],
]);
