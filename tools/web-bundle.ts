/**
 * Bundles the web console: `index.html` with its style inlined, `console.js`, and `panels.js`, which the page loads
 * after its start.
 */
import { createHash } from "node:crypto";
import path from "node:path";
import type { Rolldown } from "vite";

/** @returns texts by the names of their files */
export async function bundlePage(): Promise<ReadonlyMap<string, string>> {
  const { build } = await import("vite"); // which takes longer to load than to find out that all is built
  const result = await build({
    configFile: path.join(import.meta.dirname, "../web/vite.config.ts"),
    logLevel: "warn",
    build: { write: false },
  });
  const { output } = (Array.isArray(result) ? result[0] : result) as Rolldown.RolldownOutput;
  return withStyleInside(output);
}

function withStyleInside(files: readonly (Rolldown.OutputChunk | Rolldown.OutputAsset)[]) {
  const texts: Map<string, string> = new Map();
  let style = "";
  for (const file of files) {
    if (file.fileName.endsWith(".css")) style += String((file as { source: unknown }).source).trim();
    else texts.set(file.fileName, file.type === "chunk" ? file.code : String(file.source));
  }
  const page = texts.get("index.html") ?? "";
  return texts.set("index.html", completePage(page, style));
}

/** With its style, and the policy that allows this, its own scripts, and nothing else. */
function completePage(page: string, style: string) {
  const inline = [...page.matchAll(/<script>(.*?)<\/script>/gs)].map(
    ([, text]) => `'${sourceHash(`${text}`)}'`,
  );
  const policy = [
    "default-src 'none'",
    ["script-src 'self'", ...inline].join(" "),
    `style-src '${sourceHash(style)}'`,
    "img-src 'self' data: blob:",
    "connect-src http: https: ws: wss:", // consoles and hubs, wherever they are
    "base-uri 'none'",
    "form-action 'none'",
  ].join("; ");
  return page
    .replace(/\s*<link rel="stylesheet"[^>]*>/, "")
    .replace(
      "<meta charset",
      () => `<meta http-equiv="content-security-policy" content="${policy}" />\n    <meta charset`,
    )
    .replace("</head>", () => `<style>${style}</style>\n  </head>`);
}

/** Content Security Policy Level 3 §2.3.1, `hash-source`. */
function sourceHash(text: string) {
  return `sha256-${createHash("sha256").update(text).digest("base64")}`;
}
