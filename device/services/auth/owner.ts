/** What only the console's owner may do (docs/spec/management-api.md#cable-owner). */
import { Fault } from "../../../protocol/fault.js";
import type { Request } from "../api/request.js";

/**
 * @param what the purpose, as the beginning of a sentence: `To change or forget the console's hub`
 * @throws {Fault} `unauthorized` unless the owner asks
 */
export function requireOwner({ isOwner }: Pick<Request, "isOwner">, what: string): void {
  if (!isOwner) throw notOwner(what);
}

export function notOwner(what: string): Fault {
  return new Fault("unauthorized", `${what}, use the cable or send the console's bearer token`);
}
