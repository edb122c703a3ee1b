/**
 * The words by which apps are searched, in a table of our own (`app_words`): the full-text searches of the two databases
 * differ in what a word is and in how they rank. A word is a run of letters and digits in lower case; both databases
 * compare words bytewise. Only listed apps have words.
 */
import type { Transaction } from "kysely";
import type { NewRow, Row, Tables } from "../database/schema.js";
import { inPieces } from "../database/transactions.js";

/** Where a word stands; what is found in the first place is ranked first. */
export const PLACES = Object.freeze({
  /** The whole name, or the id, as one word. */
  whole: 0,
  name: 1,
  /** Description, author, and the page's text. */
  text: 2,
});

/** Of a text; what follows them is not found. */
const TEXT_WORDS_LIMIT = 512;
const NAME_WORDS_LIMIT = 64;
/** Longer words are cut, in searches too. */
const WORD_LIMIT_CHARACTERS = 32;

type SearchedApp = Pick<Row<"apps">, "id" | "display_name" | "description" | "author" | "about">;

/** Different words of a text, in their order. */
export function wordsOf(text: string, limit: number): readonly string[] {
  const words = new Set<string>();
  for (const [word] of folded(text).matchAll(/[\p{L}\p{M}\p{N}]+/gu)) {
    if (words.size >= limit) break;
    words.add(cut(word));
  }
  return [...words];
}

/** Without differences of case, width and composition. */
export function folded(text: string): string {
  return text.normalize("NFKC").toLowerCase();
}

function cut(word: string): string {
  return word.length <= WORD_LIMIT_CHARACTERS ? word : [...word].slice(0, WORD_LIMIT_CHARACTERS).join("");
}

/** The rows of an app. */
function wordRows(app: SearchedApp): readonly NewRow<"app_words">[] {
  const { id, display_name, description, author, about } = app;
  const names = display_name === null ? [id] : [id, display_name];
  const text = [description, author, about ?? ""].join("\n");
  const rows = (place: number, words: Iterable<string>) =>
    [...new Set(words)].map((word) => ({ place, word, app_id: id }));
  return [
    ...rows(PLACES.whole, names.map(folded)),
    ...rows(PLACES.name, wordsOf(names.join("\n"), NAME_WORDS_LIMIT)),
    ...rows(PLACES.text, wordsOf(text, TEXT_WORDS_LIMIT)),
  ];
}

/**
 * Replaces the words of an app. Call it in the transaction that changes the app's row, after that.
 * @param app its row after the change
 */
export async function indexApp(
  transaction: Transaction<Tables>,
  app: SearchedApp & Pick<Row<"apps">, "retracted_at">,
): Promise<void> {
  await transaction.deleteFrom("app_words").where("app_id", "=", app.id).execute();
  if (app.retracted_at !== null) return;
  for (const rows of inPieces(wordRows(app)))
    await transaction.insertInto("app_words").values(rows).execute();
}
