/**
 * Ranked search (docs/spec/hub-api.md#catalog-relevance): an app is found that has all words of the search. Names match by
 * the beginnings of their words, texts by whole words: a text has hundreds of them, and most texts have one with `a`.
 *
 * Strangers search, so the work is bounded whatever the words and however many apps: the rarest of the words yields the
 * candidates, at most {@link CANDIDATES_LIMIT} in names and as many in texts, and each of them is looked up for the others.
 * With 10,000 apps that all have all words, SQLite answers within 10 ms, PostgreSQL within 20 [measured]; to join all
 * their rows took a third of a second.
 */
import { type RawBuilder, sql } from "kysely";
import type { Database, Dialect } from "../database/schema.js";
import { bytewise, orderOf } from "./list-order.js";
import { folded, PLACES, wordsOf } from "./search-words.js";

/** A search for more words uses the first ones. */
const SEARCHED_WORDS_LIMIT = 4;
const CANDIDATES_LIMIT = 300;

/** Points of a match: no number of matches in texts weighs as much as one in a name. */
const POINTS = Object.freeze({ whole: 10_000, nameWord: 110, nameBeginning: 100, text: 1 });

/** Sorts behind each continuation of a word. */
const LAST_CHARACTER = "\u{10ffff}";

interface Search {
  readonly database: Database;
  readonly dialect: Dialect;
}

/**
 * Ids of the listed apps that are found, best match first, then by name.
 * @param category only apps of this one
 */
export async function rankedIds(
  { database, dialect }: Search,
  q: string,
  category?: string,
): Promise<readonly string[]> {
  const words = wordsOf(q, SEARCHED_WORDS_LIMIT);
  const whole = folded(q.trim());
  const rarest = words.length > 1 ? await rarestOf(database, words) : words[0];
  const points = words.map((word) => pointsOf(word));
  const all = points.length > 0 ? sql.join(points, sql` + `) : sql`null`; // null as soon as one word is missing
  const { rows } = await sql<{ readonly id: string }>`
    with candidates as (
      select app_id from app_words where place = ${sql.lit(PLACES.whole)} and word = ${whole}
      ${rarest === undefined ? sql`` : candidatesOf(rarest)}),
    found as materialized (
      select app_id, coalesce(${has(isIn(PLACES.whole, whole), POINTS.whole)}, ${all}) as points from candidates)
    select apps.id from found join apps on apps.id = found.app_id
    where points is not null and retracted_at is null
      ${category === undefined ? sql`` : sql`and category = ${category}`}
    order by points desc, ${orderOf("name", dialect)}, ${bytewise("id", dialect)}`.execute(database);
  return rows.map(({ id }) => id);
}

function candidatesOf(word: string): RawBuilder<unknown> {
  return sql`union select app_id from (select app_id from app_words where ${beginsIn(PLACES.name, word)}
      order by word, app_id limit ${sql.lit(CANDIDATES_LIMIT)}) as names
    union select app_id from (select app_id from app_words where ${isIn(PLACES.text, word)}
      order by app_id limit ${sql.lit(CANDIDATES_LIMIT)}) as texts`;
}

function pointsOf(word: string): RawBuilder<unknown> {
  return sql`coalesce(${has(isIn(PLACES.name, word), POINTS.nameWord)},
    ${has(beginsIn(PLACES.name, word), POINTS.nameBeginning)}, ${has(isIn(PLACES.text, word), POINTS.text)})`;
}

/** The points of a candidate that meets the condition, else null. With `exists`, PostgreSQL would read all apps that do. */
function has(condition: RawBuilder<unknown>, points: number): RawBuilder<unknown> {
  return sql`(select ${sql.lit(points)} from app_words
    where ${condition} and app_id = candidates.app_id limit 1)`;
}

function isIn(place: number, word: string): RawBuilder<unknown> {
  return sql`place = ${sql.lit(place)} and word = ${word}`;
}

function beginsIn(place: number, word: string): RawBuilder<unknown> {
  return sql`place = ${sql.lit(place)} and word >= ${word} and word < ${word + LAST_CHARACTER}`;
}

/** The word with the fewest matches, counted up to the limit. */
async function rarestOf(database: Database, words: readonly string[]): Promise<string | undefined> {
  const counts = words.map((word) => {
    const count = (condition: RawBuilder<unknown>) =>
      sql`(select count(*) from (select 1 from app_words where ${condition}
        limit ${sql.lit(CANDIDATES_LIMIT)}) as counted)`;
    return sql`select ${word} as word, ${count(beginsIn(PLACES.name, word))} + ${count(isIn(PLACES.text, word))} as matches`;
  });
  const { rows } = await sql<{ readonly word: string }>`
    select word from (${sql.join(counts, sql` union all `)}) as words order by matches, word limit 1`.execute(
    database,
  );
  return rows[0]?.word;
}
