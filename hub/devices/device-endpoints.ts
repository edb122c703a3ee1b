/** Endpoints below `/devices`. */
import type { Endpoint } from "../api/endpoint.js";

export const DEVICE_ENDPOINTS: readonly Endpoint[] = Object.freeze([]);
