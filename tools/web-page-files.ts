/** The files of the web console: the path and media type of each. */

interface PageFile {
  /** Where a server has it. */
  readonly path: string;
  /** Of the file that the build makes; the same in gzip has `.gz` at its end. */
  readonly name: string;
  readonly mediaType: string;
}

const SCRIPT_TYPE = "text/javascript; charset=utf-8";

export const PAGE_FILES: readonly PageFile[] = Object.freeze([
  { path: "/", name: "index.html", mediaType: "text/html; charset=utf-8" },
  { path: "/console.js", name: "console.js", mediaType: SCRIPT_TYPE },
  { path: "/panels.js", name: "panels.js", mediaType: SCRIPT_TYPE },
]);
