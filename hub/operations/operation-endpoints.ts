/** Endpoints below `/health and /metrics`. */
import type { Endpoint } from "../api/endpoint.js";

export const OPERATION_ENDPOINTS: readonly Endpoint[] = Object.freeze([]);
