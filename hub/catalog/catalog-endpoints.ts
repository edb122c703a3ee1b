/** Endpoints below `/catalog`. */
import type { Endpoint } from "../api/endpoint.js";

export const CATALOG_ENDPOINTS: readonly Endpoint[] = Object.freeze([]);
