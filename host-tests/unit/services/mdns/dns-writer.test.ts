import { describe, expect, test } from "vitest";
import {
  ADDITIONAL,
  ANSWER,
  type DnsWriter,
  FLAGS_QUERY,
  FLAGS_RESPONSE,
  MESSAGE_LIMIT_BYTES,
  type ResourceRecord,
  TYPE_A,
  TYPE_AAAA,
  TYPE_PTR,
} from "../../../../device/services/mdns/dns-message.js";
import { domainName } from "../../../../device/services/mdns/domain-name.js";
import {
  addressRecord,
  denialRecord,
  pointerRecord,
  serviceRecord,
  textData,
  textRecord,
} from "../../../../device/services/mdns/resource-record.js";
import { readMessage } from "./dns-messages.js";
import { newWriter } from "./dns-program.js";

const TYPE = domainName("_svc", "_tcp", "local");
const INSTANCE = domainName("Console-1A2B", "_svc", "_tcp", "local");
const HOST = domainName("Console-1A2B", "local");
const form = (record: ResourceRecord) => ({ ttlSeconds: record.ttlSeconds, cacheFlush: record.isUnique });
const put = (writer: DnsWriter, section: typeof ANSWER | typeof ADDITIONAL, record: ResourceRecord) =>
  writer.record(section, record, form(record));

describe("DnsWriter", () => {
  test("writes what another implementation reads", () => {
    const writer = newWriter();
    writer.begin(9, FLAGS_RESPONSE);
    writer.question(TYPE, TYPE_PTR, true);
    put(writer, ANSWER, pointerRecord(TYPE, INSTANCE));
    put(writer, ADDITIONAL, serviceRecord(INSTANCE, HOST, 8080));
    put(writer, ADDITIONAL, textRecord(INSTANCE, textData({ fw: "1.0.0", api: "v1" })));
    put(writer, ADDITIONAL, addressRecord(HOST, Uint8Array.of(10, 0, 0, 1)));
    put(writer, ADDITIONAL, denialRecord(HOST, [TYPE_A, TYPE_AAAA], 120));
    expect(readMessage(writer.message)).toEqual({
      id: 9,
      isResponse: true,
      isTruncated: false,
      questions: ["_svc._tcp.local PTR QU"],
      answers: ["_svc._tcp.local PTR Console-1A2B._svc._tcp.local 4500"],
      authorities: [],
      additionals: [
        "Console-1A2B._svc._tcp.local SRV Console-1A2B.local:8080 120 flush",
        "Console-1A2B._svc._tcp.local TXT fw=1.0.0;api=v1 4500 flush",
        "Console-1A2B.local A 10.0.0.1 120 flush",
        "Console-1A2B.local NSEC A,AAAA 120 flush",
      ],
    });
  });

  test("compresses names against all names before them", () => {
    const writer = newWriter();
    writer.begin(0, FLAGS_RESPONSE);
    put(writer, ANSWER, pointerRecord(TYPE, INSTANCE));
    const before = writer.message.length;
    put(writer, ANSWER, serviceRecord(INSTANCE, HOST, 8080));
    // A pointer, 10 fixed bytes, 6 of SRV, the label of the host and a pointer to "local".
    expect(writer.message.length - before).toBe(2 + 10 + 6 + 13 + 2);
  });

  test("does not compress names in an SRV record for a legacy resolver", () => {
    const writer = newWriter();
    writer.begin(0, FLAGS_RESPONSE);
    const record = serviceRecord(HOST, HOST, 1);
    const start = writer.message.length;
    writer.record(ANSWER, record, { ttlSeconds: 10, cacheFlush: false, plainService: true });
    expect(writer.message.length - start).toBe(HOST.length + 10 + 6 + HOST.length);
    expect(readMessage(writer.message).answers).toEqual(["Console-1A2B.local SRV Console-1A2B.local:1 10"]);
  });

  test("never points to bytes of the previous message", () => {
    const writer = newWriter();
    writer.begin(0, FLAGS_QUERY);
    writer.question(domainName("a", "b", "c"), TYPE_A, false);
    writer.begin(0, FLAGS_QUERY);
    writer.question(domainName("a", "a", "b", "c"), TYPE_A, false);
    writer.question(domainName("b", "c"), TYPE_A, false);
    expect(readMessage(writer.message).questions).toEqual(["a.a.b.c A", "b.c A"]);
  });

  test("fills a message to its limit and removes what does not fit", () => {
    const writer = newWriter();
    writer.begin(0, FLAGS_RESPONSE);
    let written = 0;
    while (
      put(
        writer,
        ANSWER,
        textRecord(domainName(`name-${written}`, "local"), textData({ key: "v".repeat(90) })),
      )
    )
      written++;
    expect(written).toBeGreaterThan(10);
    expect(writer.message.length).toBeLessThanOrEqual(MESSAGE_LIMIT_BYTES);
    expect(readMessage(writer.message).answers).toHaveLength(written);
    expect(put(writer, ADDITIONAL, addressRecord(domainName("z"), Uint8Array.of(1, 2, 3, 4)))).toBe(true);
    expect(readMessage(writer.message).additionals).toEqual(["z A 1.2.3.4 120 flush"]);
  });

  test("continues without pointers once its memory of names is full", () => {
    const writer = newWriter();
    writer.begin(0, FLAGS_QUERY);
    const names = Array.from({ length: 70 }, (_, index) => `n${index}.local`);
    for (const name of [...names, ...names.slice(60)])
      writer.question(domainName(...name.split(".")), TYPE_A, false);
    expect(readMessage(writer.message).questions).toEqual(
      [...names, ...names.slice(60)].map((name) => `${name} A`),
    );
  });
});
