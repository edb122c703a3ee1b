/** An error of a hub, and what the user can do about it. */

/** Codes of the page itself, and those of the hub whose message does not say what to do. */
const ADVICE: Readonly<Record<string, string>> = Object.freeze({
  hub_unreachable:
    "Does the hub run, and is this its address? A page from https:// cannot use a hub on http:// elsewhere, and a hub older than 0.2 lets no page from elsewhere in.",
  hub_timeout: "The hub or the way to it may be slow. Try again.",
  not_a_hub: "Choose another address: it is what `npm run hub` or whoever runs the hub tells.",
  token_unknown: "Was all of it copied, and is it of this hub? Else make a new account.",
  unauthorized:
    "The hub does not know the token any more. Sign out, and use another one or make a new account.",
  forbidden: "This takes the token of an account; those of publishers and consoles do not do.",
  claim_code_unknown:
    "A code counts once, and there is a new one after a console was given back. Look it up again.",
  too_many_attempts: "Wait a minute, and try again.",
  app_not_found: "It may have been taken from the catalogue meanwhile.",
  app_retracted: "Its publisher has taken it back. What is installed stays as it is.",
  version_not_found: "Choose another version.",
  device_not_found: "The console is no longer in this account. Add it again by its claim code.",
  too_many_commands: "The console has too much to do already. It has to connect first.",
  hub_differs: "Use that hub here, or set the console's hub in the device panel.",
  console_claimed: "If it is not in yours, its account has to give it back first.",
  console_not_registered: "The shell says more: `hub status`, and `hub register` to try at once.",
  busy: "The hub is busy. Try again.",
});

export class HubError extends Error {
  override readonly name = "HubError";
  /** The hub's own, or `hub_unreachable`, `hub_timeout`, `not_a_hub`, `token_unknown`, `cancelled`. */
  readonly code: string;
  /** Of the hub's answer; `undefined` where there was none. */
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
