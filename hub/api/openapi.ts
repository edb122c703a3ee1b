/**
 * Generates the OpenAPI 3.1 description from the table of endpoints. TypeBox schemas are JSON Schema, which OpenAPI 3.1
 * uses unchanged.
 */
import { STATUS_CODES } from "node:http";
import { IsObject, type TSchema } from "typebox";
import { FAULT_STATUS, type FaultCode } from "../../protocol/fault.js";
import type { Access } from "../auth/authentication.js";
import { OPERATION_ENDPOINTS } from "../operations/operation-endpoints.js";
import { type Endpoint, scopeOf } from "./endpoint.js";

export const API_PATH = "/api/v1";

/** @param hubUrl the hub's public address, if it has one: it may be below a path, which a request does not tell */
export function openApi(rows: readonly Endpoint[], hubUrl = ""): object {
  const paths: Record<string, Record<string, unknown>> = {};
  for (const row of rows) {
    const path = row.path.replaceAll(/:([a-z_]+)/g, "{$1}");
    paths[path] = { ...paths[path], ...servers(row, hubUrl), [row.method.toLowerCase()]: operation(row) };
  }
  const schemas: Record<string, object> = { Fault: FAULT_SCHEMA };
  return {
    openapi: "3.1.0",
    info: {
      title: "Console hub",
      version: "1",
      description:
        "App catalogue, device registry, firmware and rollouts. Devices hold a WebSocket at " +
        "`/ws/device` (or `/ws/device/{device_token}`), over which the hub sends commands.",
      license: { name: "Apache-2.0", identifier: "Apache-2.0" },
    },
    servers: [{ url: hubUrl + API_PATH }],
    tags: [...new Set(rows.map(({ tag }) => tag))].map((name) => ({ name })),
    paths: withNames(paths, schemas),
    components: { securitySchemes: SECURITY_SCHEMES, schemas },
  };
}

/**
 * Replaces each schema that has a `title` by a reference, so that clients have one type of that name.
 * @param schemas gets these schemas, by their titles
 */
function withNames(part: unknown, schemas: Record<string, object>): unknown {
  if (Array.isArray(part)) return part.map((member) => withNames(member, schemas));
  if (typeof part !== "object" || part === null) return part;
  const members = Object.entries(part).map(([name, member]) => [name, withNames(member, schemas)]);
  const copy: { readonly title?: unknown } = Object.fromEntries(members);
  const { title, ...schema } = copy;
  if (typeof title !== "string") return copy; // none, or a property of that name
  schemas[title] = schema;
  return { $ref: `#/components/schemas/${title}` };
}

/** For rows that are also served without the prefix. */
function servers(row: Endpoint, hubUrl: string): object {
  if (!OPERATION_ENDPOINTS.includes(row)) return {};
  return { servers: [{ url: hubUrl + API_PATH }, { url: hubUrl || "/" }] };
}

function operation(row: Endpoint): object {
  const parameters = [
    ...(row.parameters ? parametersIn("path", row.parameters) : namesIn(row.path)),
    ...parametersIn("query", row.query),
  ];
  const content = {
    ...(row.body && { "application/json": { schema: row.body } }),
    ...(row.multipart && { "multipart/form-data": { schema: row.multipart } }),
  };
  return {
    operationId: operationId(row),
    tags: [row.tag],
    summary: row.summary,
    ...(isForAccounts(row) && { description: `A token of an account needs the scope \`${scopeOf(row)}\`.` }),
    ...(parameters.length && { parameters }),
    ...(Object.keys(content).length && { requestBody: { required: isRequired(row), content } }),
    responses: { ...answers(row), ...refusals(row) },
    security: SECURITY[row.access],
  };
}

/** Whether tokens of accounts are checked for a scope. */
export function isForAccounts({ access }: Pick<Endpoint, "access">): boolean {
  return access === "account" || access === "device";
}

/** `get_devices_device_id_apps`. */
function operationId({ method, path }: Endpoint): string {
  const words = path.split(/[^a-z_]+/).filter((word) => word !== "");
  return [method.toLowerCase(), ...words].join("_");
}

function namesIn(path: string): object[] {
  const names = [...path.matchAll(/:([a-z_]+)/g)].map(([, name = ""]) => name);
  return names.map((name) => ({ name, in: "path", required: true, schema: { type: "string" } }));
}

function parametersIn(place: "path" | "query", schema: TSchema | undefined): object[] {
  if (!schema || !IsObject(schema)) return [];
  const required = schema.required as readonly string[] | undefined;
  return Object.entries(schema.properties).map(([name, { description, ...rest }]: [string, Described]) => ({
    name,
    in: place,
    required: place === "path" || (required?.includes(name) ?? false),
    ...(description !== undefined && { description }),
    schema: rest,
  }));
}

type Described = TSchema & { readonly description?: string };

/** A body is optional if all its members are. */
function isRequired({ body, multipart }: Endpoint): boolean {
  return [body, multipart].every((schema) => {
    const { required = [] } = (schema ?? { required: ["none"] }) as { readonly required?: readonly string[] };
    return required.length > 0;
  });
}

function answers(row: Endpoint): Record<string, object> {
  const described = Object.entries(row.answers).map(([status, answer]) => {
    const description = STATUS_CODES[status] ?? "";
    if (answer === null) return [status, { description }];
    const content =
      typeof answer === "string" ? { [answer]: {} } : { "application/json": { schema: answer } };
    return [status, { description, content }];
  });
  return Object.fromEntries(described) as Record<string, object>;
}

/** Error answers by status, each with its codes. */
function refusals(row: Endpoint): Record<string, object> {
  const codes = new Map<number, FaultCode[]>();
  for (const code of faultsOf(row))
    codes.set(FAULT_STATUS[code], [...(codes.get(FAULT_STATUS[code]) ?? []), code]);
  return Object.fromEntries([...codes].map(([status, ofStatus]) => [String(status), refusal(ofStatus)]));
}

function refusal(codes: readonly FaultCode[]): object {
  const schema = {
    allOf: [{ $ref: "#/components/schemas/Fault" }, { properties: { error: { enum: codes } } }],
  };
  return { description: codes.join(", "), content: { "application/json": { schema } } };
}

const FAULT_SCHEMA = Object.freeze({
  type: "object",
  required: ["error", "message"],
  properties: {
    error: { type: "string", description: "A stable code." },
    message: { type: "string", description: "A sentence for a person." },
  },
});

const SECURITY_SCHEMES = Object.freeze({
  device: { type: "http", scheme: "bearer", description: "The device's own token, a UUID v4." },
  account: {
    type: "http",
    scheme: "bearer",
    description:
      "From `POST /accounts`: `svca_…`; of a member or a program: `svct_…`; of a member who has signed in: `svcs_…`.",
  },
  publisher: { type: "http", scheme: "bearer", description: "From the hub's operator: `svcp_…`." },
});

/** Any one of the listed schemes is sufficient. */
const SECURITY: Readonly<Record<Access, readonly object[]>> = Object.freeze({
  anyone: [],
  bearer: [{ device: [] }, { account: [] }, { publisher: [] }],
  device: [{ device: [] }, { account: [] }],
  account: [{ account: [] }],
  publisher: [{ publisher: [] }],
});

/** All faults of a row: its own, and those that its access and its form imply. */
export function faultsOf(row: Endpoint): readonly FaultCode[] {
  const codes: FaultCode[] = ["duplicate_parameter", "bad_encoding"];
  if (row.access !== "anyone") codes.push("unauthorized");
  if (!OPERATION_ENDPOINTS.includes(row)) codes.push("too_many_attempts");
  if (row.access !== "anyone" && row.access !== "bearer") codes.push("forbidden");
  if (row.parameters || row.query || row.body) codes.push("bad_parameter");
  if (row.body || hasRequired(row.query)) codes.push("missing_parameter");
  if (row.body) codes.push("bad_json", "body_too_large");
  if (row.multipart) codes.push("multipart_invalid");
  if (row.method !== "GET") codes.push("media_type_unsupported");
  return [...new Set([...row.faults, ...codes, "internal_error", "busy"] as const)];
}

function hasRequired(schema: Endpoint["query"]): boolean {
  const { required = [] } = (schema ?? {}) as { readonly required?: readonly string[] };
  return required.length > 0;
}
