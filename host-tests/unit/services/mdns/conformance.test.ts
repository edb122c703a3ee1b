/**
 * The items of Apple's Bonjour Conformance Test, from two published results of it, each with the test here
 * that covers it or the reason why none does. The tool itself is Apple's alone.
 */
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";

const DATA = path.join(import.meta.dirname, "../../../../../shared/testdata/bonjour-bct");
const RESULTS = ["BCT-Results-CIAO-PI-en0.txt", "ConformanceTestResults-dnssd.txt"];
const isMissing = !existsSync(DATA);

interface Coverage {
  readonly file: string;
  readonly title: string;
}

const probing = (title: string): Coverage => ({ file: "probing.test.ts", title });
const announcing = (title: string): Coverage => ({ file: "announcing.test.ts", title });
const answering = (title: string): Coverage => ({ file: "answering.test.ts", title });
const known = (title: string): Coverage => ({ file: "known-answers.test.ts", title });
const unicast = (title: string): Coverage => ({ file: "unicast-answers.test.ts", title });

const SPREAD = answering("is 20 to 120 ms later for a shared record, evenly spread");
const MULTIPLE = answering("is 20 to 120 ms later for several questions, unique ones too");
const DUPLICATES = answering("contains no record twice");
const COMPLETE = answering("has the requested records, and those requested next");
const ANNOUNCED = announcing(
  "goes to all hosts with all records, unique ones with the cache-flush bit and shared ones without",
);
const LATER_A = announcing(
  "about an address makes the host probe again, and keep a name that no other host defends",
);
const LATER_SRV = announcing(
  "about a service makes the instance probe again, and take another name if the other host defends it",
);
const DEFER = probing("are lost against an address that sorts later, and probing restarts after a second");
const WIN = probing("are won against an address that sorts earlier, and probing continues without delay");
const RATE = probing("waits five seconds before each try after fifteen conflicts in ten");
const DENIED = probing("takes the next name when another host has it");
const RENAMED = announcing(
  "a manual name change withdraws the old name, then probes for and announces the new one",
);
const PLUGGED = announcing("to no network stops all messages, and its return starts the claims anew");
const PLUGGED_TAKEN = announcing("onto a link where the name is taken selects the next one");

const ITEMS: Readonly<Record<string, readonly Coverage[] | string>> = {
  "INITIAL PROBING": [probing("asks three times, 250 ms apart, for every name at once")],
  PROBING: [
    probing("begins after a random delay up to 250 ms"),
    probing("does not answer for names that are not claimed yet"),
  ],
  "PROBING: SIMULTANEOUS PROBE CONFLICT": [DEFER],
  "PROBING: RATE LIMITING": [RATE],
  "PROBING: PROBE DENIALS": [
    DENIED,
    announcing("a probe for a claimed name is refused within 250 ms, each time"),
  ],
  "WINNING SIMULTANEOUS PROBES - ANNOUNCEMENTS": [WIN, ANNOUNCED],
  "WINNING SIMULTANEOUS PROBES: WINNING SIMULTANEOUS PROBES": [WIN],
  "WINNING SIMULTANEOUS PROBES": [WIN],
  "SRV PROBING/ANNOUNCEMENTS BASIC": [probing("proposes its records without the cache-flush bit"), ANNOUNCED],
  "SRV PROBING/ANNOUNCEMENTS": [
    probing("takes the next host name, and puts it into the service's record"),
    announcing("follows the third probe by 250 ms, and again after a second"),
  ],
  "SUBSEQUENT CONFLICT - ANNOUNCEMENTS": [LATER_A],
  "SUBSEQUENT CONFLICT - A": [LATER_A],
  "SUBSEQUENT CONFLICT - SRV": [LATER_SRV],
  "SUBSEQUENT CONFLICT": [LATER_A, LATER_SRV],
  "SIMPLE REPLY RESPONSE TIME": [answering("is immediate for a question that no other host can answer")],
  "SIMPLE REPLY VERIFICATION": [COMPLETE],
  "SHARED REPLY TIMING - UNIFORM RANDOM REPLY TIME DISTRIBUTION": [SPREAD],
  "SHARED REPLY TIMING": [SPREAD],
  "DUPLICATE SUPPRESSION": [known("are not sent again")],
  "DISTRIBUTED DUPLICATE SUPPRESSION": [known("suppresses the same one")],
  "MULTIPLE QUESTIONS - SHARED REPLY TIMING - UNIFORM RANDOM REPLY TIME DISTRIBUTION": [
    answering("is evenly spread for several questions"),
  ],
  "MULTIPLE QUESTIONS - SHARED REPLY TIMING": [MULTIPLE],
  "MULTIPLE QUESTIONS - DUPLICATE SUPPRESSION": [known("of one question leave the answers to the others")],
  "MULTIPLE QUESTIONS - DISTRIBUTED DUPLICATE SUPPRESSION": [
    known("suppresses the same one in a query of several questions"),
  ],
  "REPLY AGGREGATION": [answering("is shared by questions that arrive close together")],
  "MANUAL NAME CHANGE - ANNOUNCEMENTS": [RENAMED],
  "MANUAL NAME CHANGE": [RENAMED],
  "HOT-PLUGGING": [PLUGGED, PLUGGED_TAKEN],
  "HOT-PLUGGING: PROBING: SIMULTANEOUS PROBE CONFLICT": [PLUGGED, DEFER],
  "HOT-PLUGGING: PROBING: RATE LIMITING": [PLUGGED, RATE],
  "HOT-PLUGGING: PROBING: PROBE DENIALS": [PLUGGED_TAKEN],
  "HOT-PLUGGING: WINNING SIMULTANEOUS PROBES - ANNOUNCEMENTS": [PLUGGED, WIN],
  "HOT-PLUGGING: WINNING SIMULTANEOUS PROBES: WINNING SIMULTANEOUS PROBES": [PLUGGED, WIN],
  "HOT-PLUGGING: SUBSEQUENT CONFLICT - ANNOUNCEMENTS": [PLUGGED, LATER_A],
  "HOT-PLUGGING: SUBSEQUENT CONFLICT - A": [PLUGGED, LATER_A],
  "HOT-PLUGGING: SUBSEQUENT CONFLICT - SRV": [PLUGGED, LATER_SRV],
  "NO DUPLICATE RECORDS IN PACKETS": [DUPLICATES],
  "REQUIRED ADDITIONAL RECORDS IN ANSWERS": [COMPLETE],
  "LEGAL CHARACTERS IN ADDRESS RECORD NAMES": [
    announcing("names hosts with letters, digits and hyphens alone"),
  ],
  "CACHE FLUSH BIT SET IN NON-SHARED RESPONSES": [ANNOUNCED, COMPLETE],
  "CACHE FLUSH BIT NOT SET IN PROPOSED ANSWER OF PROBES": [
    probing("proposes its records without the cache-flush bit"),
  ],
  "CACHE FLUSH BIT NOT SET IN UNICAST RESPONSE": [
    unicast("gets its id and question back, a short life and no cache-flush bits"),
  ],
  "UNICAST INTEROPERABILITY": [unicast("gets one although the record was multicast recently")],
  CHATTINESS: [announcing("leaves no timer, and nothing is sent unsolicited for a day")],
  "mDNS IP TTL CHECK": [announcing("goes out with an IP time to live of 255")],
  "DUPLICATE RECORDS CHECK": [DUPLICATES],
  "ADDITIONAL RECORDS IN ANSWER CHECK": [COMPLETE],
  "Link-Local Address Allocation":
    "a console takes the address that its network stack gives it (RFC 3927 is the stack's)",
  "Network Interoperability": "a heading; its items are above",
};

/** Names of the items and of the parts that were skipped as a whole. */
function itemsOf(file: string): string[] {
  const lines = readFileSync(path.join(DATA, file), "utf8").split("\n");
  return lines.flatMap((line, index) => {
    const item = /^\t(?:PASSED|WARNING|SKIPPED \(.*\)): (.*)$/.exec(line)?.[1];
    if (item !== undefined) return [readable(item)];
    return /^SKIPPED \(test omitted/.test(line) ? [lines[index - 2] ?? ""] : [];
  });
}

/** One line of a file is damaged; it stands where the whole of hot-plugging is summed up. */
function readable(item: string): string {
  return /^[ -~]+$/.test(item) ? item : "HOT-PLUGGING";
}

describe.skipIf(isMissing)(
  `the Bonjour Conformance Test${isMissing ? " (needs ../shared/testdata)" : ""}`,
  () => {
    test("has items in both results", () => {
      expect(RESULTS.map((file) => itemsOf(file).length)).toEqual([50, 36]);
    });

    for (const file of isMissing ? [] : RESULTS)
      for (const item of new Set(itemsOf(file)))
        test(`of ${file}: ${item} is covered or does not apply`, () => expect(ITEMS).toHaveProperty([item]));
  },
);

const covered = Object.entries(ITEMS).filter(([, coverage]) => typeof coverage !== "string");
for (const [item, coverage] of covered)
  test(`the tests that cover ${item} exist`, () => {
    for (const { file, title } of coverage as readonly Coverage[])
      expect(readFileSync(path.join(import.meta.dirname, file), "utf8")).toContain(title);
  });
