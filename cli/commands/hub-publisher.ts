/**
 * `svc hub publisher …` and `svc hub firmware …`: manage the publishers and firmware of the hub in this environment
 * (hub/operator.ts).
 */
import type { OperatorOptions, OperatorServices } from "../../hub/operator.js";
import type { Publishers } from "../../hub/publishers/publishers.js";
import type { Withdrawal } from "../../hub/publishers/withdrawal.js";
import type { Command } from "../command.js";
import { readInput, systemReason, TEXT_FILE_LIMIT_BYTES } from "../files.js";
import { SvcError } from "../svc-error.js";
import { textTable } from "../terminal/format.js";

/** Runs `use` with the services of this environment's hub. */
export async function withOperator<Result>(
  use: (services: OperatorServices) => Promise<Result>,
  options?: OperatorOptions,
): Promise<Result> {
  const operator = await import("../../hub/operator.js"); // loads the database drivers
  try {
    return await operator.withOperator(process.env, use, options);
  } catch (error) {
    throw explained(error);
  }
}

/** Runs `use` with the publishers of this environment's hub. */
export function withPublishers<Result>(
  use: (publishers: Publishers) => Promise<Result>,
  options?: OperatorOptions,
): Promise<Result> {
  return withOperator(({ publishers }) => use(publishers), options);
}

/** @param error of the hub, its database or its files */
export function explained(error: unknown): unknown {
  const { name, message } = error as Error;
  if (name === "ConfigError") return new SvcError("config_invalid", message, { cause: error });
  if (name !== "DatabaseUnavailable" && systemReason(error) === undefined) return error;
  return new SvcError("hub_unusable", `Cannot use the hub of this environment: ${message}`, { cause: error });
}

const NAME = { name: "NAME", summary: "name of the publisher" };

/** @param list architectures separated by commas */
function architecturesOf(list: string | undefined = ""): string[] {
  return list.split(",").filter((name) => name !== "");
}

/** Lists the withdrawn apps and firmware, for users. */
export function withdrawnLines({ apps, firmware }: Withdrawal): string[] {
  return [
    ...apps.map(({ app_id, version }) => `withdrawn ${app_id} ${version}`),
    ...firmware.map(({ arch, version }) => `withdrawn firmware ${version} for ${arch}`),
  ];
}

export const hubPublisherAdd: Command = Object.freeze<Command>({
  name: "hub publisher add",
  summary: "Add a publisher and print their token, which is not shown again.",
  parameters: [NAME],
  options: [
    {
      name: "key",
      value: "PUB.pem",
      summary: "Ed25519 public key of the publisher",
      isRequired: true,
      isFile: true,
    },
    {
      name: "firmware",
      value: "ARCH,…",
      summary: "architectures for which the publisher may publish firmware; default: none",
    },
  ],
  async run({ values: { NAME: name = "", key = "", firmware }, warn }) {
    const pem = String(await readInput(key, TEXT_FILE_LIMIT_BYTES));
    const added = await withPublishers((publishers) => publishers.add(name, pem, architecturesOf(firmware)), {
      onNotice: warn,
      createsHub: true,
    });
    return { text: `publisher ${added.publisher_id}\ntoken ${added.token}`, json: added };
  },
});

export const hubPublisherList: Command = Object.freeze<Command>({
  name: "hub publisher list",
  summary: "List the publishers, including revoked ones.",
  parameters: [],
  options: [],
  async run() {
    const publishers = await withPublishers((all) => all.list());
    const rows = publishers.map(({ publisher_id, name, firmware, created_at, revoked_at }) => {
      const state = revoked_at === null ? "active" : `revoked ${revoked_at}`;
      return [publisher_id, created_at, state, name, ...(firmware.length ? [`firmware ${firmware}`] : [])];
    });
    return { text: textTable(rows), json: { publishers } };
  },
});

export const hubPublisherRevoke: Command = Object.freeze<Command>({
  name: "hub publisher revoke",
  summary: "Revoke a publisher's token and keys, and withdraw everything they published.",
  parameters: [NAME],
  options: [],
  async run({ values: { NAME: name = "" } }) {
    const revoked = await withPublishers((publishers) => publishers.revoke(name));
    return { text: [`revoked ${name}`, ...withdrawnLines(revoked.withdrawn)].join("\n"), json: revoked };
  },
});

export const hubPublisherFirmware: Command = Object.freeze<Command>({
  name: "hub publisher firmware",
  summary: "Set the architectures for which a publisher may publish firmware.",
  parameters: [NAME, { name: "ARCHITECTURES", summary: "architectures separated by commas, or `none`" }],
  options: [],
  async run({ values: { NAME: name = "", ARCHITECTURES: list = "" } }) {
    const architectures = list === "none" ? [] : architecturesOf(list);
    const publisher = await withPublishers((publishers) => publishers.setFirmware(name, architectures));
    return { text: `${name}: firmware for ${publisher.firmware.join(", ") || "none"}`, json: publisher };
  },
});

export const hubPublisherToken: Command = Object.freeze<Command>({
  name: "hub publisher token",
  summary: "Print a new token for a publisher, which is not shown again; the old one stops working.",
  parameters: [NAME],
  options: [],
  async run({ values: { NAME: name = "" } }) {
    const renewed = await withPublishers((publishers) => publishers.renewToken(name));
    return { text: `token ${renewed.token}`, json: renewed };
  },
});

export const hubFirmwareWithdraw: Command = Object.freeze<Command>({
  name: "hub firmware withdraw",
  summary: "Withdraw firmware: the hub stops offering it to consoles.",
  parameters: [{ name: "VERSION", summary: "MAJOR.MINOR.PATCH" }],
  options: [{ name: "arch", value: "ARCH", summary: "withdraw it for this architecture only; default: all" }],
  async run({ values: { VERSION: version = "", arch } }) {
    const withdrawn = await withPublishers((publishers) => publishers.withdrawFirmware(version, arch));
    return { text: withdrawnLines(withdrawn).join("\n"), json: withdrawn };
  },
});
