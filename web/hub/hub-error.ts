/** An error from a hub, with advice for the user. */

/** Advice for the page's own codes, and for the hub's codes whose message gives none. */
const ADVICE: Readonly<Record<string, string>> = Object.freeze({
  hub_unreachable:
    "Check that the hub runs, and its address. A page from https:// cannot use a hub on http:// elsewhere, and hubs older than 0.2 accept no pages from elsewhere.",
  hub_timeout: "The hub or the way to it may be slow. Try again.",
  not_a_hub: "Choose another address: `npm run hub` prints it, or ask the hub's operator.",
  token_unknown:
    "Copy the whole token, and check that it belongs to this hub. Otherwise create a new account.",
  unauthorized: "The hub no longer knows the token. Sign out, and use another one or create a new account.",
  forbidden: "Use the token of an account, not of a publisher or console, whose role or scopes allow this.",
  claim_code_unknown: "A code works once, and a released console has a new one. Look it up again.",
  too_many_attempts: "Wait a minute, and try again.",
  app_not_found: "It may have been removed from the catalogue.",
  app_retracted: "Its publisher has withdrawn it. Installed copies stay.",
  version_not_found: "Choose another version.",
  device_not_found: "The console is no longer in this account. Add it again by its claim code.",
  too_many_commands: "Too many commands wait for the console. It must connect first.",
  hub_differs: "Use that hub here, or set the console's hub in the device panel.",
  console_claimed: "If it is not in yours, its account must release it first.",
  console_not_registered: "See `hub status` in the shell, or try now with `hub register`.",
  busy: "The hub is busy. Try again.",
});

export class HubError extends Error {
  override readonly name = "HubError";
  /**
   * The hub's code, or one of the page: `hub_unreachable`, `hub_timeout`, `not_a_hub`, `token_unknown`, `cancelled`,
   * `hub_differs`, `console_claimed`, `console_not_registered`.
   */
  readonly code: string;
  /** HTTP status of the hub's response; `undefined` for the page's own codes. */
  readonly status: number | undefined;

  constructor(code: string, message: string, options?: ErrorOptions & { readonly status?: number }) {
    super(message, options);
    this.code = code;
    this.status = options?.status;
  }

  get advice(): string | undefined {
    return Object.hasOwn(ADVICE, this.code) ? ADVICE[this.code] : undefined;
  }
}
