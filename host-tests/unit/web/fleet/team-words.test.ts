/** The words of the pages of fleets for what the hub knows. */
import { describe, expect, test } from "vitest";
import { ROLES, SCOPES } from "../../../../protocol/hub/answers/team.js";
import { EVENT_TYPES } from "../../../../protocol/hub/answers/webhooks.js";
import { EVENT_WORDS, ROLE_WORDS, SCOPE_WORDS } from "../../../../web/fleet/team-words.js";

describe("The pages of fleets have words for", () => {
  for (const { what, words, known } of [
    { what: "each role", words: ROLE_WORDS, known: ROLES },
    { what: "each scope", words: SCOPE_WORDS, known: SCOPES },
    { what: "each event", words: EVENT_WORDS, known: EVENT_TYPES },
  ])
    test(what, () => expect(Object.keys(words).sort()).toEqual([...known].sort()));
});
