/** The files of the web console: the path and media type of each. */

interface PageFile {
  /** Path on the server. */
  readonly path: string;
  /** Name of the built file; the gzip version has the suffix `.gz`. */
  readonly name: string;
  readonly mediaType: string;
}

const SCRIPT_TYPE = "text/javascript; charset=utf-8";

export const PAGE_FILES: readonly PageFile[] = Object.freeze([
  { path: "/", name: "index.html", mediaType: "text/html; charset=utf-8" },
  { path: "/console.js", name: "console.js", mediaType: SCRIPT_TYPE },
  { path: "/panels.js", name: "panels.js", mediaType: SCRIPT_TYPE },
]);
