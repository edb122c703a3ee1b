/** What the player's page reports to `svc app dev --browser`; a page is a program of its own, so it is read with care. */

export type PlayerReport =
  | { readonly kind: "started"; readonly name: string; readonly version: string }
  | { readonly kind: "log"; readonly name: string; readonly lines: readonly ReportedLine[] }
  | { readonly kind: "ended"; readonly name: string; readonly message: string };

interface ReportedLine {
  readonly level: number;
  readonly text: string;
  readonly lost: number;
}

const LINES_LIMIT = 32;
const TEXT_LIMIT = 1024;

/** @returns `undefined` for anything else than a report */
export function readReport(json: string): PlayerReport | undefined {
  const { kind, name, version, lines, message } = fieldsOf(json);
  if (!isText(name)) return undefined;
  if (kind === "started" && isText(version)) return { kind, name, version };
  if (kind === "ended" && isText(message)) return { kind, name, message };
  if (kind !== "log" || !Array.isArray(lines) || lines.length > LINES_LIMIT) return undefined;
  return lines.every(isLine) ? { kind, name, lines } : undefined;
}

function fieldsOf(json: string): Readonly<Record<string, unknown>> {
  try {
    return Object(JSON.parse(json));
  } catch {
    return {};
  }
}

function isText(value: unknown): value is string {
  return typeof value === "string" && value.length <= TEXT_LIMIT;
}

function isLine(value: unknown): value is ReportedLine {
  const { level, text, lost } = Object(value) as Record<string, unknown>;
  return (
    Number.isInteger(level) &&
    (level as number) >= 0 &&
    (level as number) <= 3 &&
    isText(text) &&
    Number.isInteger(lost)
  );
}
