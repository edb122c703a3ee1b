import { readFileSync, statSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { runSvc, SVC_TIMEOUT_MS } from "./run-svc.js";

const root = path.join(import.meta.dirname, "../../..");

test("npx finds svc: the package names an executable file", () => {
  const { bin } = JSON.parse(readFileSync(path.join(root, "package.json"), "utf8"));
  expect(bin).toEqual({ svc: "cli/svc.js" });
  expect(statSync(path.join(root, bin.svc)).mode & 0o111).toBe(0o111);
});

describe("svc prints help on standard output with status 0:", {
  timeout: SVC_TIMEOUT_MS,
}, () => {
  const HELP = [
    { args: ["--help"], names: "firmware" },
    { args: ["firmware", "--help"], names: "pack [options] <IMAGE>" },
    { args: ["firmware", "pack", "--help"], names: "--out <FILE.svcfw>" },
  ];
  for (const { args, names } of HELP)
    test(`svc ${args.join(" ")}`, () => {
      const { status, stdout, stderr } = runSvc(...args);
      expect([status, stderr]).toEqual([0, ""]);
      expect(stdout).toContain(names);
    });
});

describe("svc reports wrong usage with status 2, on standard error alone:", {
  timeout: SVC_TIMEOUT_MS,
}, () => {
  const WRONG = [
    { args: [], says: "Usage: svc" },
    { args: ["firmwear"], says: "unknown command 'firmwear'" },
    { args: ["firmware"], says: "Usage: svc firmware" },
    { args: ["firmware", "unpack"], says: "unknown command 'unpack'" },
    { args: ["firmware", "pack"], says: "Usage: svc firmware pack" },
    { args: ["firmware", "pack", "image", "--key", "key.pem"], says: "--out <FILE.svcfw>' not specified" },
    { args: ["firmware", "pack", "image", "--out", "out"], says: "--key <PEM>' not specified" },
    {
      args: ["firmware", "pack", "--key", "key.pem", "--out", "out"],
      says: "missing required argument 'IMAGE'",
    },
    { args: ["firmware", "pack", "a", "b", "--key", "k", "--out", "o"], says: "too many arguments" },
    {
      args: ["firmware", "pack", "a", "--key", "k", "--out", "o", "--fast"],
      says: "unknown option '--fast'",
    },
    { args: ["wifi", "join", "Simulated", "--password", "x", "--open"], says: "--password and --open" },
    {
      args: ["wifi", "join", "Simulated", "--password", ""],
      says: "Use --open for a network without a password",
    },
  ];
  for (const { args, says } of WRONG)
    test(`svc ${args.join(" ")}`, () => {
      const { status, stdout, stderr } = runSvc(...args);
      expect([status, stdout]).toEqual([2, ""]);
      expect(stderr).toContain(says);
    });
});
