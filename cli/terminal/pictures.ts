/**
 * Small pictures in lines of text, in terminals that show them: by kitty's graphics protocol
 * (https://sw.kovidgoyal.net/kitty/graphics-protocol) or by iTerm2's inline images
 * (https://iterm2.com/documentation-images.html). Other terminals show no pictures: half blocks would be two pixels
 * high in a line.
 *
 * A terminal is recognised by its environment. A query would be exact, but its answer comes on standard input, and late
 * over slow connections.
 */

export type PictureProtocol = "kitty" | "iterm2";

/** Columns of a picture, which is about as wide as a line is high, and of the gap after it. */
const COLUMNS = 2;
const GAP_COLUMNS = 1;

/** Most base64 digits of one kitty sequence. */
const KITTY_DIGITS = 4096;

type Environment = Readonly<Record<string, string | undefined>>;

const KITTY_TERMS: readonly string[] = Object.freeze(["xterm-kitty", "xterm-ghostty"]);
const ITERM2_PROGRAMS: readonly string[] = Object.freeze(["iTerm.app", "WezTerm"]);

/** The protocol of a terminal; `undefined` if it shows no pictures. */
export function pictureProtocol(environment: Environment): PictureProtocol | undefined {
  const { TERM = "", TERM_PROGRAM = "", LC_TERMINAL, KITTY_WINDOW_ID, TMUX, STY } = environment;
  // tmux and screen pass on their terminal's variables, but not its pictures.
  if (TMUX || STY || /^(dumb|linux|screen|tmux)/.test(TERM)) return undefined;
  if (ITERM2_PROGRAMS.includes(TERM_PROGRAM) || LC_TERMINAL === "iTerm2") return "iterm2";
  if (KITTY_TERMS.includes(TERM) || KITTY_WINDOW_ID) return "kitty";
  return undefined;
}

/** The start of a line with a picture: as many columns as {@link NO_PICTURE}. */
export function pictureText(protocol: PictureProtocol, png: Uint8Array): string {
  const digits = Buffer.from(png).toString("base64");
  const picture = protocol === "kitty" ? kittyText(digits) : iterm2Text(digits, png.length);
  // Moves the cursor: a space would erase the picture in terminals that keep it in their cells.
  return `${picture}\u001b[${COLUMNS + GAP_COLUMNS}C`;
}

/** The start of a line without a picture, in a list with pictures. */
export const NO_PICTURE = " ".repeat(COLUMNS + GAP_COLUMNS);

/** C=1: the cursor stays. q=2: the terminal does not answer, which the shell would read as input. */
function kittyText(digits: string): string {
  let text = "";
  for (let at = 0; at < digits.length; at += KITTY_DIGITS) {
    const start = at === 0 ? `a=T,f=100,c=${COLUMNS},r=1,C=1,` : "";
    const isLast = at + KITTY_DIGITS >= digits.length;
    text += `\u001b_G${start}q=2,m=${isLast ? 0 : 1};${digits.slice(at, at + KITTY_DIGITS)}\u001b\\`;
  }
  return text;
}

/** Saves and restores the cursor, which terminals leave at different ends of the picture. */
function iterm2Text(digits: string, byteLength: number): string {
  const size = `width=${COLUMNS};height=1;preserveAspectRatio=1`;
  return `\u001b7\u001b]1337;File=inline=1;size=${byteLength};${size}:${digits}\u0007\u001b8`;
}
