/** Lists every fault that a row can answer with: its own, and those that its form implies. */
import type { FaultCode } from "../../protocol/fault.js";
import type { Endpoint } from "./endpoint.js";

export function faultsOf(row: Endpoint): readonly FaultCode[] {
  const codes: FaultCode[] = ["duplicate_parameter", "bad_encoding"];
  if (row.access !== "anyone") codes.push("unauthorized");
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
