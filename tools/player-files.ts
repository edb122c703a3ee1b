/** The files of the player (`web/player`): their paths, media types, and the header fields without which it does not work. */
import path from "node:path";

/** Output of `buildPlayer`. */
export const PLAYER_DIRECTORY = path.join(import.meta.dirname, "../build/player");

export interface PlayerFileKind {
  /** Path below that of the page. */
  readonly path: string;
  /** Name of the built file. */
  readonly name: string;
  readonly mediaType: string;
  /** Header fields without which the page does not work, or is not safe. */
  readonly fields: Readonly<Record<string, string>>;
}

/**
 * The page and its worker share memory, which browsers allow only to pages that are isolated from other origins (HTML standard,
 * cross-origin isolation). `same-origin` also takes the player from the page that opened it.
 */
const ISOLATION = Object.freeze({
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-embedder-policy": "require-corp",
  "cross-origin-resource-policy": "same-origin",
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
});

const policy = (...directives: readonly string[]) =>
  Object.freeze({
    ...ISOLATION,
    "content-security-policy": ["default-src 'none'", ...directives, "frame-ancestors 'none'"].join("; "),
  });

const PAGE_FIELDS = policy(
  "script-src 'self'",
  "worker-src 'self'",
  "style-src 'self'",
  "img-src data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
);

/** A worker has the policy of its own script: it compiles WebAssembly, and loads nothing. */
const WORKER_FIELDS = policy("script-src 'wasm-unsafe-eval'");

const SCRIPT = "text/javascript; charset=utf-8";

export const PLAYER_FILES: readonly PlayerFileKind[] = Object.freeze([
  { path: "", name: "index.html", mediaType: "text/html; charset=utf-8", fields: PAGE_FIELDS },
  { path: "player.js", name: "player.js", mediaType: SCRIPT, fields: PAGE_FIELDS },
  { path: "player.css", name: "player.css", mediaType: "text/css; charset=utf-8", fields: PAGE_FIELDS },
  { path: "app-worker.js", name: "app-worker.js", mediaType: SCRIPT, fields: WORKER_FIELDS },
]);
