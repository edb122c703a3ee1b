/**
 * The single table of errors (docs/spec/conventions.md#error-table), shared by the device (HTTP and USB), the hub,
 * `svc` and the web console. A code is stable and maps to exactly one status.
 */

/** HTTP status of every fault. The keys are the complete list of fault codes. */
export const FAULT_STATUS = Object.freeze({
  // The request itself
  bad_request: 400,
  bad_json: 400,
  bad_encoding: 400,
  bad_parameter: 400,
  missing_parameter: 400,
  duplicate_parameter: 400,
  unauthorized: 401,
  foreign_host: 403,
  foreign_origin: 403,
  shell_disabled: 403,
  needs_post: 403,
  not_found: 404,
  wifi_only: 404,
  usb_only: 404,
  method_not_allowed: 405,
  request_timeout: 408,
  length_required: 411,
  body_too_large: 413,
  line_too_long: 413,
  uri_too_long: 414,
  media_type_unsupported: 415,
  expectation_failed: 417,
  upgrade_required: 426,
  too_many_attempts: 429,
  head_too_large: 431,
  internal_error: 500,
  not_implemented: 501,
  busy: 503,
  out_of_memory: 503,
  safe_mode: 503,
  version_unsupported: 505,
  storage_full: 507,
  // Uploads
  upload_busy: 409,
  chunk_out_of_order: 409,
  upload_incomplete: 400,
  chunk_too_large: 413,
  file_too_large: 413,
  file_not_found: 404,
  // Packages, signatures, keys
  signature_missing: 403,
  signature_invalid: 403,
  package_invalid: 422,
  package_too_large: 413,
  manifest_invalid: 422,
  icon_invalid: 422,
  keys_invalid: 422,
  too_many_keys: 409,
  revocations_invalid: 422,
  revocations_older: 409,
  // Firmware
  bundle_magic: 422,
  bundle_version: 422,
  bundle_length: 422,
  bundle_crc: 422,
  image_invalid: 422,
  version_downgrade: 409,
  wrong_board: 422,
  nothing_pending: 409,
  confirm_pending: 409,
  // Modules
  module_invalid: 422,
  module_unsupported: 422,
  import_unknown: 422,
  capability_missing: 422,
  entry_missing: 422,
  quota_exceeded: 422,
  variant_invalid: 422,
  module_damaged: 500,
  // Apps
  app_not_found: 404,
  icon_not_found: 404,
  lines_invalid: 422,
  lines_not_found: 404,
  picture_invalid: 422,
  picture_not_found: 404,
  app_running: 409,
  app_stopped: 409,
  app_not_newer: 409,
  publisher_mismatch: 409,
  version_older: 409,
  too_many_apps: 503,
  // WiFi
  wifi_busy: 409,
  // Hub: authorization, devices and commands
  forbidden: 403,
  not_owner: 403,
  binding_invalid: 403,
  token_bound: 409,
  device_not_found: 404,
  claim_code_unknown: 404,
  command_not_found: 404,
  event_not_found: 404,
  command_over: 409,
  too_many_commands: 409,
  command_expired: 410,
  // Hub: catalogue and firmware
  app_retracted: 410,
  version_exists: 409,
  version_not_newer: 409,
  version_not_found: 404,
  firmware_not_found: 404,
  firmware_withdrawn: 410,
  multipart_invalid: 400,
  range_not_satisfiable: 416,
  file_damaged: 500,
  // Hub: accounts and publishers, managed by the operator
  account_not_found: 404,
  member_not_found: 404,
  token_not_found: 404,
  too_many_tokens: 409,
  email_taken: 409,
  session_not_found: 404,
  sign_in_off: 409,
  sign_in_expired: 403,
  group_not_found: 404,
  too_many_groups: 409,
  too_many_devices: 409,
  publisher_exists: 409,
  publisher_not_found: 404,
  key_exists: 409,
  key_not_found: 404,
  // Hub: compiling ahead of time
  compile_off: 409,
  compile_failed: 422,
  compiler_missing: 503,
  // Hub: rollouts
  rollout_not_found: 404,
  rollout_state: 409,
  rollout_empty: 422,
  too_many_rollouts: 409,
  // Hub: webhooks
  webhook_not_found: 404,
  webhook_disabled: 409,
  too_many_webhooks: 409,
  // A console and its hub
  hub_unset: 409,
  hub_unreachable: 503,
  hub_refused: 503,
  download_failed: 503,
  download_mismatch: 422,
  download_refused: 403,
  superseded: 409,
  declined: 403,
  // Configuration at start
  config_unknown: 422,
  config_invalid: 422,
});

export type FaultCode = keyof typeof FAULT_STATUS;

/** Body of every error answer. */
export interface FaultBody {
  readonly error: FaultCode;
  readonly message: string;
}

/** The one error type that crosses a module boundary. */
export class Fault extends Error {
  override readonly name = "Fault"; // a field: `this.name =` throws once XS freezes Error.prototype
  readonly code: FaultCode;
  /** Further members of the error body, such as `expected` of `chunk_out_of_order`. */
  readonly details: Readonly<Record<string, unknown>> | undefined;

  constructor(
    code: FaultCode,
    message: string,
    options?: ErrorOptions & { readonly details?: Readonly<Record<string, unknown>> },
  ) {
    super(message, options);
    this.code = code;
    this.details = options?.details;
  }

  get status(): number {
    return FAULT_STATUS[this.code];
  }

  /** The error body: `error`, `message`, and the details of this fault. */
  toBody(): FaultBody {
    return { error: this.code, message: this.message, ...this.details };
  }
}

/** Longest quote of untrusted input in an error message: the answer must stay short however long the input is. */
const QUOTE_LIMIT_CHARACTERS = 120;

export function quoted(text: string): string {
  return text.length <= QUOTE_LIMIT_CHARACTERS ? `"${text}"` : `"${text.slice(0, QUOTE_LIMIT_CHARACTERS)}…"`;
}
