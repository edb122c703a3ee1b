/** Scopes of roles, and as the database stores them (docs/spec/hub-api.md#scopes). */
import { type Role, SCOPES, type Scope } from "../../protocol/hub/answers/team.js";

/** The scopes of a member's role. */
export const ROLE_SCOPES = Object.freeze({
  owner: SCOPES,
  operator: Object.freeze(["read", "orders", "consoles"] as const),
  viewer: Object.freeze(["read"] as const),
} satisfies Record<Role, readonly Scope[]>);

/** As the database stores them: without duplicates, in the order of the table. */
export function writeScopes(scopes: readonly Scope[]): string {
  return SCOPES.filter((scope) => scopes.includes(scope)).join(",");
}

/** Ignores scopes that this version does not know. */
export function readScopes(stored: string): readonly Scope[] {
  const names = stored.split(",");
  return SCOPES.filter((scope) => names.includes(scope));
}
