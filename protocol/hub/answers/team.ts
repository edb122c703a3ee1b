/** What the hub answers about accounts and who uses them (docs/spec/hub-api.md#members). */
import {
  extended,
  integer,
  listOf,
  mapOf,
  object,
  oneOf,
  onlyTrue,
  optional,
  orNull,
  type Shaped,
  text,
  time,
  truth,
} from "../../schema.js";
import { NEXT } from "./paged-list.js";

/**
 * What a token of an account may be used for (docs/spec/hub-api.md#scopes). The account's own token may do everything, and
 * so may the token of an owner.
 */
export const SCOPES = Object.freeze(["read", "orders", "consoles", "webhooks", "account"] as const);
export type Scope = (typeof SCOPES)[number];

export const ROLES = Object.freeze(["owner", "operator", "viewer"] as const);
export type Role = (typeof ROLES)[number];

/** Whether the process runs, how people may sign in, and what they see without. */
export const LIVENESS = object({
  status: oneOf(["live"]),
  public_catalog: optional(onlyTrue("The catalogue can be read without a token")),
  sign_in: optional(
    object(
      { name: text(), url: text(), sign_out_url: text() },
      {
        description:
          "Of the server of OpenID Connect, where a browser begins, and where it signs out of the server itself; left out without one",
      },
    ),
  ),
});

export type Liveness = Shaped<typeof LIVENESS>;

export const NEW_ACCOUNT = object({ account_id: text(), account_token: text() });
export type NewAccount = Shaped<typeof NEW_ACCOUNT>;

export const ACCOUNT = object({
  account_id: text(),
  scopes: listOf(oneOf(SCOPES)),
  name: optional(text("Of the member or the program")),
});
export type Account = Shaped<typeof ACCOUNT>;

export const NAME = text("1 to 64 characters");
export const ROLE = oneOf(
  ROLES,
  "`viewer` reads; `operator` also gives orders, and claims and releases consoles; `owner` may do everything",
);
export const SCOPE = oneOf(SCOPES);
export const EMAIL = text(
  "Whoever signs in with this address by OpenID Connect for the first time becomes the member",
);
const TOKEN = text("Returned only once");

export const MEMBER = object(
  {
    member_id: text(),
    name: NAME,
    role: ROLE,
    created_at: time(),
    email: optional(EMAIL),
    identity: optional(
      object(
        { issuer: text(), subject: text() },
        { description: "Of OpenID Connect; left out until the member has signed in" },
      ),
    ),
  },
  { title: "Member" },
);
export type Member = Shaped<typeof MEMBER>;
export const MEMBERS = object({ members: listOf(MEMBER) });
export const NEW_MEMBER = extended(MEMBER, { token: TOKEN });
export const ADDED_MEMBER = extended(MEMBER, {
  token: optional(text("Returned only once; left out for a member with `email`")),
});
export type AddedMember = Shaped<typeof ADDED_MEMBER>;

const PROGRAM = object(
  {
    token_id: text(),
    name: NAME,
    scopes: listOf(SCOPE),
    created_at: time(),
    expires_at: orNull(time(), "`null` if it does not expire"),
  },
  { title: "Program" },
);
export type Program = Shaped<typeof PROGRAM>;
export const PROGRAMS = object({ tokens: listOf(PROGRAM) });
export const NEW_PROGRAM = extended(PROGRAM, { token: TOKEN });

const AUDIT_ENTRY = object(
  {
    at: time(),
    actor: oneOf(
      ["account", "member", "program", "operator", "hub"],
      "`account`: the account's own token; `operator`: the operator of the hub; `hub`: the hub itself",
    ),
    actor_id: optional(text("Of the member, or of the program's token")),
    actor_name: optional(text()),
    via: optional(oneOf(["oidc"], "Of a member who had signed in by OpenID Connect")),
    action: text("`DELETE /devices/{device_id}/apps/{app_id}`"),
    names: mapOf(text(), "The names in the path"),
    address: text("Of the client"),
    status: integer("Of the answer"),
  },
  { title: "AuditEntry" },
);
export type AuditEntry = Shaped<typeof AUDIT_ENTRY>;
export const AUDIT = object({ next: NEXT, entries: listOf(AUDIT_ENTRY) });

const CHOICE = object({
  member_id: text(),
  account_id: text(),
  name: text(),
  role: oneOf(ROLES),
  invited: truth("Whether you have not signed in as this member yet"),
});
export type Choice = Shaped<typeof CHOICE>;
/** The members of whom one chooses who has signed in. */
export const CHOICES = object({ choices: listOf(CHOICE) });
export const NEW_SESSION = object({
  token: TOKEN,
  expires_at: time(),
  member_id: text(),
  account_id: text(),
});
