/**
 * The set-up page: HTML without scripts, pictures or anything from elsewhere, for the small browsers in which phones show
 * the page of a network that demands a login (docs/spec/setup.md#page). It is made in pieces as it is sent.
 */
import type { FoundNetwork } from "../wifi/scan.js";

/** What the page shows. */
export interface SetupView {
  /** Name of the console. */
  readonly name: string;
  /** Value of the hidden field by which a form is known to be this page's. */
  readonly key: string;
  readonly state: SetupPageState;
  /** Networks to choose from, the strongest first. */
  readonly networks: readonly FoundNetwork[];
  /** Whether weaker networks were left out. */
  readonly hasMore: boolean;
}

export type SetupPageState =
  | { readonly phase: "looking" }
  /** `problem`: why what was sent before has not led to a joined network. */
  | { readonly phase: "choosing"; readonly problem?: string; readonly ssid?: string }
  | { readonly phase: "joining"; readonly ssid: string }
  | { readonly phase: "joined"; readonly ssid: string };

/** Seconds after which a page that waits for something loads itself again. */
const REFRESH_S = 2;

const STYLE =
  "body{font:18px/1.5 sans-serif;margin:0 auto;padding:16px;max-width:26em}" +
  "label,input,select,button{display:block;font:inherit;width:100%;padding:8px 0;box-sizing:border-box}" +
  "button{margin-top:16px}.problem{color:#b00020}.done{color:#006e2e}";

/**
 * The next piece of the page.
 * @param index of the piece, from 0
 * @returns `undefined` past the last one
 */
export function pagePiece(view: SetupView, index: number): string | undefined {
  const { networks } = view;
  const isForm = view.state.phase === "choosing";
  if (index === 0) return headOf(view) + (isForm ? formStart(view) : "");
  if (isForm && index <= networks.length) return option(networks[index - 1] as FoundNetwork, view.state);
  return index === (isForm ? networks.length : 0) + 1 ? (isForm ? formEnd(view) : "") + END : undefined;
}

const END = "</body></html>\n";

function headOf({ name, state }: SetupView): string {
  const waits = state.phase === "looking" || state.phase === "joining";
  const refresh = waits ? `<meta http-equiv="refresh" content="${REFRESH_S};url=/">` : "";
  return (
    '<!doctype html><html lang="en"><head><meta charset="utf-8">' +
    `<meta name="viewport" content="width=device-width,initial-scale=1">${refresh}` +
    `<title>Set up ${escapeHtml(name)}</title><style>${STYLE}</style></head><body>` +
    `<h1>${escapeHtml(name)}</h1>${stateText(state)}`
  );
}

function stateText(state: SetupPageState): string {
  switch (state.phase) {
    case "looking":
      return '<p role="status">The console is looking for networks.</p>';
    case "choosing":
      return state.problem === undefined
        ? "<p>Choose the Wi-Fi network that the console is to join.</p>"
        : `<p class="problem" role="alert">${escapeHtml(state.problem)}</p>`;
    case "joining":
      return `<p role="status">The console is joining ${quotedHtml(state.ssid)}. This takes up to 20 seconds.</p>`;
    case "joined":
      return (
        `<p class="done" role="status">The console has joined ${quotedHtml(state.ssid)}.</p>` +
        "<p>Its own network ends now, and your phone returns to yours.</p>"
      );
    default:
      return state satisfies never;
  }
}

function formStart({ key }: SetupView): string {
  return (
    `<form method="post" action="/join" accept-charset="utf-8"><input type="hidden" name="key" value="${escapeHtml(key)}">` +
    `<label>Network<select name="ssid"><option value="">Choose a network</option>`
  );
}

function option({ ssid, secured }: FoundNetwork, state: SetupPageState): string {
  const selected = state.phase === "choosing" && state.ssid === ssid ? " selected" : "";
  const text = escapeHtml(ssid);
  return `<option value="${text}"${selected}>${text}${secured ? "" : " (open)"}</option>`;
}

function formEnd({ key, hasMore }: SetupView): string {
  return (
    `</select></label>${hasMore ? "<p>There are more networks, with weaker signals.</p>" : ""}` +
    '<label>Or the name of another network<input name="other" autocapitalize="none"></label>' +
    '<label>Password<input type="password" name="password"></label>' +
    "<button>Join</button></form>" +
    `<form method="post" action="/scan"><input type="hidden" name="key" value="${escapeHtml(key)}">` +
    "<button>Look for networks again</button></form>"
  );
}

function quotedHtml(text: string): string {
  return `“<bdi>${escapeHtml(text)}</bdi>”`;
}

const MARKUP = "&<>\"'";

/** Text for an element or a quoted attribute. Control characters, which HTML forbids, become U+FFFD. */
export function escapeHtml(text: string): string {
  let escaped = "";
  for (const character of text) {
    const code = character.codePointAt(0) as number;
    const isControl = code < 0x20 || (code >= 0x7f && code < 0xa0);
    escaped += isControl ? "\ufffd" : MARKUP.includes(character) ? `&#${code};` : character;
  }
  return escaped;
}
