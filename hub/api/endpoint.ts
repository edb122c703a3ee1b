/**
 * The type of a row in the table of endpoints (`endpoints.ts`). The rows define the routes, the validation, the OpenAPI
 * description and the reference. A handler gets validated input.
 */
import type { FastifyReply, FastifyRequest } from "fastify";
import type { Static, TSchema } from "typebox";
import type { FaultCode } from "../../protocol/fault.js";
import type { Scope } from "../../protocol/hub/answers/team.js";
import type { Access, Caller } from "../auth/authentication.js";
import type { HubServices } from "../services.js";

export interface Endpoint {
  readonly method: "GET" | "POST" | "PUT" | "DELETE";
  /** Below `/api/v1`, with parameters as `:name`. */
  readonly path: string;
  /** Group in the description: `Catalogue`, `Devices`, … */
  readonly tag: string;
  readonly summary: string;
  readonly access: Access;
  /**
   * What an account's token must allow: see {@link scopeOf}. Only where `access` is `account` or `device`.
   */
  readonly scope?: Scope;
  /** Calls of one token in a minute, for work that is expensive. Only where a token is needed. */
  readonly callsPerMinute?: number;
  /** Whether `SVC_HUB_PUBLIC_CATALOG` opens the row to requests without a token. */
  readonly isCatalogue?: boolean;
  readonly parameters?: TSchema;
  readonly query?: TSchema;
  /** JSON; left out if there is no body, or only a `multipart` one. */
  readonly body?: TSchema;
  /** A larger limit for JSON than the default. */
  readonly bodyLimitBytes?: number;
  /** Fields of a `multipart/form-data` body, for the description; the handler reads the parts itself. */
  readonly multipart?: TSchema;
  /** Bodies of successful answers by status; `null` for none, a media type for files. */
  readonly answers: Readonly<Record<number, TSchema | string | null>>;
  /** Faults besides those that `access` and malformed input imply. */
  readonly faults: readonly FaultCode[];
  readonly handle: (services: HubServices, call: Call) => Promise<unknown> | unknown;
}

/** By default, a row that changes nothing needs `read`, and any other the scope that few have. */
export function scopeOf({ method, scope }: Pick<Endpoint, "method" | "scope">): Scope {
  return scope ?? (method === "GET" ? "read" : "account");
}

/**
 * One request that has passed the checks of its row. A handler returns the body of a 200 answer, or of another status
 * after `reply.code(…)`. It returns the reply itself if it has sent a file, or no body.
 */
export interface Call<Parameters = unknown, Query = unknown, Body = unknown> {
  readonly parameters: Parameters;
  readonly query: Query;
  readonly body: Body;
  /** `undefined` only where `access` is `anyone`. */
  readonly caller: Caller | undefined;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
}

/** Creates a row whose handler has the types of its schemas. */
export function endpoint<
  const Parameters extends TSchema = TSchema,
  const Query extends TSchema = TSchema,
  const Body extends TSchema = TSchema,
>(
  row: Omit<Endpoint, "parameters" | "query" | "body" | "handle"> & {
    readonly parameters?: Parameters;
    readonly query?: Query;
    readonly body?: Body;
    readonly handle: (
      services: HubServices,
      call: Call<Static<Parameters>, Static<Query>, Static<Body>>,
    ) => Promise<unknown> | unknown;
  },
): Endpoint {
  return Object.freeze(row) as unknown as Endpoint;
}
