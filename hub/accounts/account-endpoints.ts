/** Endpoints below `/accounts and /account/…`. */
import type { Endpoint } from "../api/endpoint.js";

export const ACCOUNT_ENDPOINTS: readonly Endpoint[] = Object.freeze([]);
