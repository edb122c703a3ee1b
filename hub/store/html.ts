/**
 * HTML and XML as text that is escaped where it is put together: whatever is not `Markup` becomes text, so that a forgotten
 * call cannot let a stranger's name through as an element.
 */

/** Text that is HTML or XML already. */
export class Markup {
  readonly text: string;

  /** @param text of ours, or from {@link markup} */
  constructor(text: string) {
    this.text = text;
  }
}

type Content = Markup | string | number | undefined | readonly Content[];

/** `` markup`<p>${name}</p>` ``: escapes what is no markup; `undefined` is left out, and lists are joined. */
export function markup(texts: TemplateStringsArray, ...contents: readonly Content[]): Markup {
  return new Markup(texts.reduce((joined, text, index) => joined + written(contents[index - 1]) + text));
}

function written(content: Content): string {
  if (content === undefined) return "";
  if (content instanceof Markup) return content.text;
  if (typeof content === "object") return content.map(written).join("");
  return escaped(String(content));
}

const ESCAPES: Readonly<Record<string, string>> = Object.freeze({
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
});

/** Characters that XML 1.0 §2.2 does not allow, and halves of characters. */
const NOT_IN_XML = /[^\P{Cc}\t\n\r]|\p{Cs}|[\ufffe\uffff]/gu;

/** For contents and for attributes in quotes, of HTML and of XML. */
function escaped(text: string): string {
  return text.replace(NOT_IN_XML, "\ufffd").replace(/[&<>"']/g, (character) => ESCAPES[character] ?? "");
}
