/** Endpoints below `/firmware`. */
import type { Endpoint } from "../api/endpoint.js";

export const FIRMWARE_ENDPOINTS: readonly Endpoint[] = Object.freeze([]);
