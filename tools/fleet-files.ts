/** The files of the pages for fleets (`web/fleet`): their paths, media types, and the policy of the page. */
import path from "node:path";

/** Output of `buildFleet`. */
export const FLEET_DIRECTORY = path.join(import.meta.dirname, "../build/fleet");

export interface FleetFileKind {
  /** Path below that of the page. */
  readonly path: string;
  /** Name of the built file. */
  readonly name: string;
  readonly mediaType: string;
  readonly fields: Readonly<Record<string, string>>;
}

/** The page has a token of an account: it runs its own script alone. It asks hubs at any address, as the web console does. */
const FIELDS = Object.freeze({
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "content-security-policy": [
    ...["default-src 'none'", "script-src 'self'", "style-src 'self'", "img-src data:"],
    ...["connect-src http: https:", "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'"],
  ].join("; "),
});

export const FLEET_FILES: readonly FleetFileKind[] = Object.freeze([
  { path: "", name: "index.html", mediaType: "text/html; charset=utf-8", fields: FIELDS },
  { path: "fleet.js", name: "fleet.js", mediaType: "text/javascript; charset=utf-8", fields: FIELDS },
  { path: "fleet.css", name: "fleet.css", mediaType: "text/css; charset=utf-8", fields: FIELDS },
]);
