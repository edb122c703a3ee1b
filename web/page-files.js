/** The files of the web console: the path and media type of each. */

/**
 * @typedef {object} PageFile
 * @property {string} path where a server has it
 * @property {string} name of the file that the build makes; the same in gzip has `.gz` at its end
 * @property {string} mediaType
 */

const SCRIPT_TYPE = "text/javascript; charset=utf-8";

/** @type {readonly PageFile[]} */
export const PAGE_FILES = Object.freeze([
  { path: "/", name: "index.html", mediaType: "text/html; charset=utf-8" },
  { path: "/console.js", name: "console.js", mediaType: SCRIPT_TYPE },
  { path: "/panels.js", name: "panels.js", mediaType: SCRIPT_TYPE },
]);
