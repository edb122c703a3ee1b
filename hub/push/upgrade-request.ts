/** Reads the upgrade request of a push channel: its token, and the address at which the device reached the hub. */
import type { IncomingMessage } from "node:http";
import { TLSSocket } from "node:tls";
import { Fault } from "../../protocol/fault.js";
import type { Asked } from "../api/public-address.js";
import { readDeviceToken } from "../auth/tokens.js";

const PATH = /^(?:\/api\/v1)?\/ws\/device\/([^/?]*)(?:\?.*)?$/;

/** @throws {Fault} `not_found` for another path; `unauthorized` for what cannot be a token */
export function tokenOf({ url = "" }: IncomingMessage): string {
  const written = PATH.exec(url)?.[1];
  if (written === undefined) throw new Fault("not_found", "The push channel is at /ws/device/{device_token}");
  const token = readDeviceToken(written);
  if (token === undefined) throw new Fault("unauthorized", "Nobody holds this token");
  return token;
}

/** @param trustsProxy whether `X-Forwarded-…` counts (as Fastify reads them) */
export function askedAt({ headers, socket }: IncomingMessage, trustsProxy: boolean): Asked {
  const forwarded = (name: string) => (trustsProxy ? nearestOf(headers[name]) : undefined);
  return {
    protocol: forwarded("x-forwarded-proto") ?? (socket instanceof TLSSocket ? "https" : "http"),
    host: forwarded("x-forwarded-host") ?? headers.host ?? "",
  };
}

/** Each proxy adds its own behind a comma: the last is the word of the one that is trusted. */
function nearestOf(field: string | string[] | undefined): string | undefined {
  return [field].flat().join(",").split(",").at(-1)?.trim() || undefined;
}
