/** `GET` and `POST /api/auth/token`. */
import type { JsonAnswer } from "../api/request.js";
import type { Config } from "../config/options.js";

export function tokenAnswer(token: string, config: Config): JsonAnswer {
  return { status: 200, body: { token, required: config.CONFIG_SVC_HTTP_AUTH } };
}
