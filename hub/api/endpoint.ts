/**
 * The type of a row in the table of endpoints (`endpoints.ts`). The rows define the routes, the validation, the OpenAPI
 * description and the reference. A handler gets validated input.
 */
import type { FastifyReply, FastifyRequest } from "fastify";
import type { Static, TSchema } from "typebox";
import type { FaultCode } from "../../protocol/fault.js";
import type { Access, Caller } from "../auth/authentication.js";
import type { HubServices } from "../services.js";

export interface Endpoint {
  readonly method: "GET" | "POST" | "PUT" | "DELETE";
  /** Below `/api/v1`, with parameters as `:name`. */
  readonly path: string;
  /** Groups the description: `Catalogue`, `Devices`, … */
  readonly tag: string;
  readonly summary: string;
  readonly access: Access;
  /** Whether `SVC_HUB_PUBLIC_CATALOG` lets those in, too, who bring no token. */
  readonly isCatalogue?: boolean;
  readonly parameters?: TSchema;
  readonly query?: TSchema;
  /** JSON; left out where there is none, or where it is `multipart`. */
  readonly body?: TSchema;
  /** Where JSON may be larger than elsewhere. */
  readonly bodyLimitBytes?: number;
  /** Fields of a `multipart/form-data` body, for the description; the handler reads the parts itself. */
  readonly multipart?: TSchema;
  /** Bodies of successful answers by status; `null` for none, a media type for files. */
  readonly answers: Readonly<Record<number, TSchema | string | null>>;
  /** Refusals beside those of `access` and of malformed input. */
  readonly faults: readonly FaultCode[];
  readonly handle: (services: HubServices, call: Call) => Promise<unknown> | unknown;
}

/**
 * One request that has passed the checks of its row. What a handler returns is the body of a 200; with
 * `reply.code(…)` that of another status; the reply itself where it has sent a file or no body.
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

/** A row whose handler knows the types of what its schemas let through. */
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
