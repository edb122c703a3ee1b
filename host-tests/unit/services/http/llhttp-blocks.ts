/** Reads the test blocks of llhttp (MIT licence, `shared/testdata/llhttp`): markdown with bytes and expected events. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

export interface Block {
  /** File and heading; with a counter where a heading has several blocks. */
  readonly name: string;
  /** `request`, `request-lenient-headers`, `response`, `url` and so on. */
  readonly type: string;
  readonly wire: string;
  /** Events that llhttp reports, a line each. */
  readonly log: readonly string[];
}

const ROOT = join(import.meta.dirname, "../../../../../shared/testdata/llhttp/test");
const PIECE = /^(#+) (.*)$|^<!-- meta=(.*) -->$|^```(http|url|log)\n([\s\S]*?)^```$/gm;

export const areBlocksThere = existsSync(ROOT);

export function readBlocks(): Block[] {
  const files = readdirSync(ROOT, { recursive: true, encoding: "utf8" });
  return files
    .filter((file) => file.endsWith(".md"))
    .sort()
    .flatMap(readFile);
}

function readFile(file: string): Block[] {
  const blocks: Block[] = [];
  let heading = "";
  let type = "";
  let content: { kind: string; wire: string } | undefined;
  for (const [, , title, meta, kind, text = ""] of readFileSync(join(ROOT, file), "utf8").matchAll(PIECE)) {
    if (title !== undefined) heading = title;
    if (meta !== undefined) type = JSON.parse(meta).type ?? "";
    if (kind === "log" && content) {
      const count = blocks.filter(({ name }) => name.startsWith(`${file}: ${heading}`)).length;
      const name = `${file}: ${heading}${count ? ` (${count + 1})` : ""}`;
      blocks.push({
        name,
        type: content.kind === "url" ? "url" : type,
        wire: content.wire,
        log: text.trim().split("\n"),
      });
      content = undefined;
    } else if (kind !== undefined) content = { kind, wire: fromMarkdown(text) };
  }
  return blocks;
}

/** Line ends are CRLF, a backslash before one joins lines, and control characters are escaped. */
function fromMarkdown(text: string): string {
  return text
    .replace(/\n$/, "")
    .replace(/\\\n/g, "")
    .replace(/\n/g, "\r\n")
    .replace(/\\r/g, "\r")
    .replace(/\\n/g, "\n")
    .replace(/\\t/g, "\t")
    .replace(/\\f/g, "\f")
    .replace(/\\x([0-9a-fA-F]+)/g, (_, digits) => String.fromCharCode(Number.parseInt(digits, 16)));
}
