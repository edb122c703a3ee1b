/** Browsers do not tell a page why a request failed; the page explains it from what it can find out. */
import assert from "node:assert/strict";
import { test } from "vitest";
import {
  addressSpaceOf,
  explainFailure,
  type FailureClues,
  isNearByName,
} from "../../../../web/connection/http-failure.js";

const HTTPS_PAGE = new URL("https://hub.example.org/#connect");
const CONSOLE = new URL("http://192.168.1.20:8080/api/status");
const NAMED = new URL("http://console.fritz.box:8080/api/status");

interface Case extends Partial<FailureClues> {
  readonly name: string;
  readonly code: string;
  readonly advises: RegExp;
}

const CASES: readonly Case[] = [
  {
    name: "an answer that the page may not read: the exact setting, and the console's own page",
    isAnswered: true,
    code: "foreign_origin",
    advises: /http:\/\/192\.168\.1\.20:8080\/.*CONFIG_SVC_HTTP_ALLOWED_ORIGINS=https:\/\/hub\.example\.org$/,
  },
  {
    name: "the user has denied the local network: where to allow it",
    permission: "denied",
    code: "local_network_denied",
    advises: /Local network access/,
  },
  {
    name: "the browser's question may still be open",
    permission: "prompt",
    code: "device_unreachable",
    advises: /console is on.*allow it/,
  },
  {
    name: "a browser that does not ask, and a name that it does not know as local: mixed content",
    target: NAMED,
    code: "mixed_content",
    advises: /Open http:\/\/console\.fritz\.box:8080\/ instead/,
  },
  {
    name: "a browser that does not ask, and an address that it knows as local: likely no console there",
    code: "device_unreachable",
    advises: /console is on.*may not let pages from https/,
  },
  {
    name: "a page from plain http: no console there",
    page: new URL("http://hub.lan:9090/"),
    code: "device_unreachable",
    advises: /is on and in the same network/,
  },
  {
    name: "the console's own page: no console there any more",
    page: new URL("http://192.168.1.20:8080/#device"),
    code: "device_unreachable",
    advises: /console is on/,
  },
];
for (const { name, code, advises, ...clues } of CASES)
  test(`explained: ${name}`, () => {
    const known: FailureClues = {
      page: HTTPS_PAGE,
      target: CONSOLE,
      permission: undefined,
      isAnswered: false,
      ...clues,
    };
    const error = explainFailure(known);
    assert.equal(error.code, code);
    assert.match(error.advice ?? "", advises);
    assert.ok(error.message.includes(known.target.origin), error.message);
  });

const HOSTS = [
  { host: "localhost", space: "loopback", isNear: true },
  { host: "127.8.9.10", space: "loopback", isNear: true },
  { host: "[::1]", space: "loopback", isNear: true },
  { host: "192.168.1.20", space: "local", isNear: true },
  { host: "172.16.0.1", space: "local", isNear: true },
  { host: "172.32.0.1", space: "local", isNear: false },
  { host: "169.254.3.4", space: "local", isNear: true },
  { host: "[fd00::1]", space: "local", isNear: true },
  { host: "[fe80::1]", space: "local", isNear: true },
  { host: "[2001:db8::1]", space: "local", isNear: false },
  { host: "console-1a2b.local", space: "local", isNear: true },
  { host: "console.fritz.box", space: "local", isNear: false },
  { host: "127.0.0.1.example.org", space: "local", isNear: false },
] as const;
for (const { host, space, isNear } of HOSTS)
  test(`${host} is requested with the address space ${space}, and ${isNear ? "known" : "not known"} as local by its name`, () => {
    assert.equal(addressSpaceOf(host), space);
    assert.equal(isNearByName(host), isNear);
  });
