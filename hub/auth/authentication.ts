/**
 * Resolves a bearer token to its caller. On SQLite, devices and accounts are cached briefly, and the cache is cleared
 * when another process writes. On PostgreSQL, and for publishers, every request queries the database. So a revoked
 * token never grants access.
 */
import { Fault } from "../../protocol/fault.js";
import { SCOPES, type Scope } from "../../protocol/hub/answers/team.js";
import { Coalesced } from "../coalesced.js";
import type { HubContext } from "../context.js";
import type { Row } from "../database/schema.js";
import { matchesToken } from "../devices/former-tokens.js";
import { RecentMap } from "../recent-map.js";
import { ROLE_SCOPES, readScopes } from "../teams/scopes.js";
import { isAccountToken, isPublisherToken, isSessionToken, isTeamToken, readDeviceToken } from "./tokens.js";

/** The caller of a request, as its bearer token identifies it. */
export type Caller =
  | { readonly kind: "device"; readonly deviceId: string }
  | AccountCaller
  | { readonly kind: "publisher"; readonly publisherId: string };

export interface AccountCaller {
  readonly kind: "account";
  readonly accountId: string;
  readonly scopes: readonly Scope[];
  /** Whose token it is; `undefined` for the account's own. */
  readonly member: Pick<Row<"account_tokens">, "id" | "kind" | "name"> | undefined;
  /** Of a member who has signed in: the session that the token is of. */
  readonly sessionId?: string;
}

/** Narrows the caller of an endpoint that is open to this kind only. @throws {Fault} `forbidden` for another kind */
export function callerOf<Kind extends Caller["kind"]>(
  kind: Kind,
  caller: Caller | undefined,
): Extract<Caller, { kind: Kind }> {
  if (caller?.kind !== kind) throw new Fault("forbidden", `Only ${kind}s may do this`);
  return caller as Extract<Caller, { kind: Kind }>;
}

/**
 * Checks that this kind of caller may use a row. The row's handler checks who owns the device or app.
 * @param deviceId from the path, if it has one
 * @throws {Fault} `forbidden`
 */
export function requireAccess(
  { access, scope }: { readonly access: Access; readonly scope: Scope },
  caller: Caller,
  deviceId: string | undefined,
): void {
  if (access === "anyone" || access === "bearer") return;
  const wanted = access === "device" && deviceId !== "me" ? "account" : access;
  if (caller.kind !== wanted) throw new Fault("forbidden", REASONS[wanted]);
  if (caller.kind === "account" && !caller.scopes.includes(scope))
    throw new Fault("forbidden", `This needs a token with the scope "${scope}"`);
}

const REASONS = Object.freeze({
  device: 'Only a device may use "me": name the device by its id',
  account: "Only an account may do this",
  publisher: "Only publishers may do this",
});

/** How long a device or an account stays in the cache. */
const CACHE_MS = 10_000;
const CACHE_LIMIT = 20_000;

/** Longer fields are not kept: one token can be written in many ways, with any number of spaces before it. */
const KEPT_FIELD_LIMIT = 256;

const CREDENTIALS = /^Bearer +([A-Za-z0-9._~+/-]+=*) *$/i;

/**
 * @param field the Authorization field (RFC 6750 §2.1)
 * @throws {Fault} `unauthorized` unless it has a bearer token
 */
export function bearerOf(field: string | undefined): string {
  if (field === undefined) throw new Fault("unauthorized", "The bearer token is missing");
  const token = CREDENTIALS.exec(field)?.[1];
  if (token === undefined) throw new Fault("unauthorized", 'Authorization must be "Bearer" and a token');
  return token;
}

interface CacheEntry {
  readonly caller: Caller;
  readonly untilMs: number;
}

type Context = Pick<HubContext, "database" | "hasher" | "now" | "otherWriters">;

export class Authentication {
  readonly #context: Context;
  /** By the Authorization field. */
  readonly #cache = new RecentMap<string, CacheEntry>(CACHE_LIMIT);
  /** In progress, by the Authorization field. */
  readonly #lookUps = new Map<string, Coalesced<Caller>>();
  #stamp: number | undefined;
  /** Counts the tokens that this process has invalidated: a lookup that began before such a change is not cached. */
  #changes = 0;

  constructor(context: Context) {
    this.#context = context;
  }

  /** Call it when this process has invalidated a token. */
  clearCache(): void {
    this.#changes++;
    this.#cache.clear();
  }

  /** The caller, if it is in the cache. */
  known(field: string): Caller | undefined {
    const stamp = this.#context.otherWriters.stamp();
    if (stamp !== this.#stamp) this.clearCache();
    this.#stamp = stamp;
    const cached = this.#cache.get(field);
    return cached && cached.untilMs > this.#context.now() ? cached.caller : undefined;
  }

  /**
   * Answers synchronously from the cache: most requests come from a caller that has just made another one.
   * @param field the Authorization field (RFC 6750 §2.1)
   * @throws {Fault} `unauthorized`, also as a rejection
   */
  caller(field: string | undefined): Caller | Promise<Caller> {
    const known = field === undefined ? undefined : this.known(field);
    return known ?? this.#lookUpOnce(bearerOf(field), field as string);
  }

  /** Requests with the same token that come at the same time share a look; each look began after they came. */
  async #lookUpOnce(token: string, field: string): Promise<Caller> {
    const lookUp = this.#lookUps.get(field) ?? new Coalesced(() => this.#lookUp(token, field));
    this.#lookUps.set(field, lookUp);
    try {
      return await lookUp.request();
    } finally {
      if (lookUp.isIdle) this.#lookUps.delete(field);
    }
  }

  async #lookUp(token: string, field: string): Promise<Caller> {
    const { otherWriters } = this.#context;
    const stamp = otherWriters.stamp();
    const changes = this.#changes;
    const caller = await this.#find(token);
    if (!caller) throw new Fault("unauthorized", "The token is unknown");
    const isCurrent = stamp !== undefined && stamp === this.#stamp && changes === this.#changes;
    const isCached = caller.kind === "device" || (caller.kind === "account" && !caller.member); // members may expire
    if (isCached && isCurrent && field.length <= KEPT_FIELD_LIMIT)
      this.#cache.set(field, { caller, untilMs: this.#context.now() + CACHE_MS });
    return caller;
  }

  #find(token: string): Promise<Caller | undefined> {
    const deviceToken = readDeviceToken(token);
    if (deviceToken !== undefined) return this.#device(deviceToken);
    if (isAccountToken(token)) return this.#account(token);
    if (isTeamToken(token)) return this.#member(token);
    if (isSessionToken(token)) return this.#session(token);
    if (isPublisherToken(token)) return this.#publisher(token);
    return Promise.resolve(undefined);
  }

  async #device(token: string): Promise<Caller | undefined> {
    const row = await this.#context.database
      .selectFrom("devices")
      .select("id")
      .where(matchesToken(this.#context.hasher.hash(token)))
      .executeTakeFirst();
    return row && { kind: "device", deviceId: row.id };
  }

  async #account(token: string): Promise<Caller | undefined> {
    const row = await this.#context.database
      .selectFrom("accounts")
      .select("id")
      .where("token_hash", "=", this.#context.hasher.hash(token))
      .executeTakeFirst();
    return row && { kind: "account", accountId: row.id, scopes: SCOPES, member: undefined };
  }

  async #member(token: string): Promise<Caller | undefined> {
    const { database, hasher, now } = this.#context;
    const row = await database
      .selectFrom("account_tokens")
      .innerJoin("accounts", "accounts.id", "account_tokens.account_id")
      .select(["account_tokens.id", "account_id", "kind", "name", "role", "scopes"])
      .where("account_tokens.token_hash", "=", hasher.hash(token))
      .where("accounts.revoked_at", "is", null)
      .where((eb) => eb.or([eb("expires_at", "is", null), eb("expires_at", ">", now())]))
      .executeTakeFirst();
    if (!row) return undefined;
    const { account_id: accountId, role, scopes, ...member } = row;
    // A role may have got scopes since the row was written.
    const allowed = role === null ? readScopes(scopes) : ROLE_SCOPES[role];
    return { kind: "account", accountId, scopes: allowed, member };
  }

  /** With the member's role as it is now: it may have changed since they signed in. */
  async #session(token: string): Promise<Caller | undefined> {
    const { database, hasher, now } = this.#context;
    const row = await database
      .selectFrom("member_sessions")
      .innerJoin("account_tokens", "account_tokens.id", "member_sessions.member_id")
      .innerJoin("accounts", "accounts.id", "account_tokens.account_id")
      .select(["member_sessions.id as sessionId", "account_tokens.id", "account_id", "kind", "name", "role"])
      .where("member_sessions.token_hash", "=", hasher.hash(token))
      .where("member_sessions.expires_at", ">", now())
      .where("accounts.revoked_at", "is", null)
      .executeTakeFirst();
    if (!row) return undefined;
    const { account_id: accountId, role, sessionId, ...member } = row;
    if (role === null) return undefined; // programs have no sessions
    return { kind: "account", accountId, scopes: ROLE_SCOPES[role], member, sessionId };
  }

  async #publisher(token: string): Promise<Caller | undefined> {
    const row = await this.#context.database
      .selectFrom("publishers")
      .select("id")
      .where("token_hash", "=", this.#context.hasher.hash(token))
      .where("revoked_at", "is", null)
      .executeTakeFirst();
    return row && { kind: "publisher", publisherId: row.id };
  }
}

/**
 * The callers that may use a row. `bearer`: any valid token. `device`: the device itself at `/devices/me`, or the
 * account that holds it at `/devices/{device_id}`. Others get 401 `unauthorized` without a valid token, and 403
 * `forbidden` with a token of the wrong kind.
 */
export type Access = "anyone" | "bearer" | "device" | "account" | "publisher";
