/** Endpoints below `/rollouts`. */
import type { Endpoint } from "../api/endpoint.js";

export const ROLLOUT_ENDPOINTS: readonly Endpoint[] = Object.freeze([]);
