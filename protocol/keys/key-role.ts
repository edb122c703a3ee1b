/**
 * What a trusted key may sign (docs/spec/keys.md#roles). A line `# roles: app, firmware`
 * before a PEM block gives its key those roles and no others; a key without such a line has all of them.
 *
 * A set of roles is a number with a bit for each. One more bit says that no line stated them; sets along a chain of
 * certificates are intersected with `&`, so the bit is left only where none of the chain has a line.
 */
export type KeyRole = "app" | "firmware" | "hub" | "native";

export const KEY_ROLES: readonly KeyRole[] = Object.freeze(["app", "firmware", "hub", "native"] as const);

/** A set of roles. Without any role the key is useless. */
export type RoleSet = number;

const UNSTATED_BIT = 1 << KEY_ROLES.length;
const EVERY_ROLE = UNSTATED_BIT - 1;

/** Roles of a key without a roles line. */
export const UNSTATED_ROLES: RoleSet = EVERY_ROLE | UNSTATED_BIT;

const LINE_START = "# roles:";

/** Made once, so that a key costs no list. */
const LISTS: readonly (readonly KeyRole[])[] = Object.freeze(
  Array.from({ length: EVERY_ROLE + 1 }, (_, roles) =>
    Object.freeze(KEY_ROLES.filter((role) => (roles & bitOf(role)) !== 0)),
  ),
);

/** @returns 0 for an invalid list of roles: the key is useless then, and never has more roles */
export function readRolesLine(line: string): RoleSet {
  if (!line.startsWith(LINE_START)) return 0;
  let roles = 0;
  for (const word of line.slice(LINE_START.length).split(",")) {
    const at = (KEY_ROLES as readonly string[]).indexOf(word.trim());
    if (at < 0) return 0;
    roles |= 1 << at;
  }
  return roles;
}

/** The line of a file that gives the key after it these roles, with its end. */
export function rolesLine(roles: readonly KeyRole[]): string {
  return `${LINE_START} ${roles.join(", ")}\n`;
}

export function hasRole(roles: RoleSet, role: KeyRole): boolean {
  return (roles & bitOf(role)) !== 0;
}

export function rolesOf(roles: RoleSet): readonly KeyRole[] {
  return LISTS[roles & EVERY_ROLE] as readonly KeyRole[];
}

/** Whether a line of the file, or of one in the chain, said so. */
export function areStated(roles: RoleSet): boolean {
  return (roles & UNSTATED_BIT) === 0;
}

function bitOf(role: KeyRole): number {
  return 1 << KEY_ROLES.indexOf(role);
}
