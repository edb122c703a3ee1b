import { expect, test } from "vitest";
import { type Conditions, type Selection, selectContent } from "../../../../hub/files/send-file.js";

const ETAG = '"abc"';
const WHOLE: Selection = { kind: "whole" };
const UNSATISFIABLE: Selection = { kind: "unsatisfiable" };
const part = (start: number, end: number): Selection => ({ kind: "part", start, end });

const RANGES: readonly { readonly range: string; readonly selection: Selection }[] = [
  { range: "bytes=0-0", selection: part(0, 1) },
  { range: "bytes=0-", selection: part(0, 100) },
  { range: "bytes=10-19", selection: part(10, 20) },
  { range: "Bytes= 10-19 ", selection: part(10, 20) },
  { range: "bytes=99-", selection: part(99, 100) },
  { range: "bytes=90-1000", selection: part(90, 100) },
  { range: "bytes=-1", selection: part(99, 100) },
  { range: "bytes=-100", selection: part(0, 100) },
  { range: "bytes=-101", selection: part(0, 100) },
  { range: `bytes=-${"9".repeat(30)}`, selection: part(0, 100) },
  { range: `bytes=1-${"9".repeat(30)}`, selection: part(1, 100) },
  { range: "bytes=100-", selection: UNSATISFIABLE },
  { range: `bytes=${"9".repeat(30)}-`, selection: UNSATISFIABLE },
  { range: "bytes=-0", selection: UNSATISFIABLE },
  // What is not a range is passed over (RFC 9110 §14.2).
  { range: "bytes=20-10", selection: WHOLE },
  { range: "bytes=-", selection: WHOLE },
  { range: "bytes=a-b", selection: WHOLE },
  { range: "bytes=0x1-2", selection: WHOLE },
  { range: "bytes=1-2,5-6", selection: WHOLE },
  { range: "lines=1-2", selection: WHOLE },
  { range: "", selection: WHOLE },
];
for (const { range, selection } of RANGES)
  test(`"${range.slice(0, 20)}" of 100 bytes selects ${JSON.stringify(selection)}`, () =>
    expect(selectContent({ range }, ETAG, 100)).toEqual(selection));

const CONDITIONS: readonly (Conditions & { readonly name: string; readonly selection: Selection })[] = [
  { name: "no conditions", selection: WHOLE },
  { name: "the tag held", "if-none-match": ETAG, selection: { kind: "unchanged" } },
  { name: "the tag held weakly", "if-none-match": `W/${ETAG}`, selection: { kind: "unchanged" } },
  { name: "the tag held among others", "if-none-match": `"x" , ${ETAG}`, selection: { kind: "unchanged" } },
  { name: "anything held", "if-none-match": "*", selection: { kind: "unchanged" } },
  { name: "another tag held", "if-none-match": '"abcd"', selection: WHOLE },
  { name: "the tag without its quotes", "if-none-match": "abc", selection: WHOLE },
  {
    name: "a part and the tag held",
    range: "bytes=1-",
    "if-none-match": ETAG,
    selection: { kind: "unchanged" },
  },
  { name: "a part of the same", range: "bytes=1-", "if-range": ETAG, selection: part(1, 100) },
  { name: "a part of another", range: "bytes=1-", "if-range": '"x"', selection: WHOLE },
  { name: "a part of the same, weakly", range: "bytes=1-", "if-range": `W/${ETAG}`, selection: WHOLE },
  {
    name: "a part if a date matches",
    range: "bytes=1-",
    "if-range": "Sat, 29 Oct 1994 19:43:31 GMT",
    selection: WHOLE,
  },
  { name: "a part beyond the end of another", range: "bytes=100-", "if-range": '"x"', selection: WHOLE },
];
for (const { name, selection, ...conditions } of CONDITIONS)
  test(`With ${name}: ${selection.kind}`, () =>
    expect(selectContent(conditions, ETAG, 100)).toEqual(selection));
