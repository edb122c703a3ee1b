/**
 * What a token of an account may be used for (docs/spec/hub-api.md#scopes). The account's own token may do everything, and
 * so may the token of an owner.
 */
export const SCOPES = Object.freeze(["read", "orders", "consoles", "webhooks", "account"] as const);

export type Scope = (typeof SCOPES)[number];

/** The scopes of a member's role. */
export const ROLE_SCOPES = Object.freeze({
  owner: SCOPES,
  operator: Object.freeze(["read", "orders", "consoles"] as const),
  viewer: Object.freeze(["read"] as const),
} satisfies Record<string, readonly Scope[]>);

export type Role = keyof typeof ROLE_SCOPES;

export const ROLES = Object.freeze(Object.keys(ROLE_SCOPES) as readonly Role[]);

/** As the database stores them: without duplicates, in the order of the table. */
export function writeScopes(scopes: readonly Scope[]): string {
  return SCOPES.filter((scope) => scopes.includes(scope)).join(",");
}

/** Ignores scopes that this version does not know. */
export function readScopes(stored: string): readonly Scope[] {
  const names = stored.split(",");
  return SCOPES.filter((scope) => names.includes(scope));
}
