/** The caller of a request, as its bearer token identifies it. */
import { Fault } from "../../protocol/fault.js";

export type Caller =
  | { readonly kind: "device"; readonly deviceId: string }
  | { readonly kind: "account"; readonly accountId: string }
  | { readonly kind: "publisher"; readonly publisherId: string };

/** For endpoints that only this kind of caller reaches. */
export function callerOf<Kind extends Caller["kind"]>(
  kind: Kind,
  caller: Caller | undefined,
): Extract<Caller, { kind: Kind }> {
  if (caller?.kind !== kind) throw new Fault("forbidden", `This is for ${kind}s alone`);
  return caller as Extract<Caller, { kind: Kind }>;
}
