/**
 * What each error code means and what to do about it: the text of `docs/reference/errors.md`. It stands here and not in
 * protocol/fault.ts, which is part of the firmware. The type of {@link MEANINGS} demands a row for every code.
 */
import type { SvcCode } from "../cli/svc-error.js";
import type { ClientCode } from "../device-client/device-error.js";
import type { FaultCode } from "../protocol/fault.js";
import type { SdkCode } from "../sdk/sdk-error.js";

export interface ErrorMeaning {
  readonly meaning: string;
  readonly action: string;
}

type Meanings<Code extends string> = Readonly<Partial<Record<Code, ErrorMeaning>>>;

const REQUEST = {
  bad_request: {
    meaning: "The request is malformed: its head, its body, or the usage of a shell command.",
    action: "Correct the request as the message says.",
  },
  bad_json: { meaning: "The body is not valid JSON.", action: "Send valid JSON." },
  bad_encoding: {
    meaning: "Text is not UTF-8, base64 or percent-encoding, or begins with a byte order mark.",
    action: "Encode the named part correctly.",
  },
  bad_parameter: {
    meaning: "A parameter is unknown, or its value is not allowed.",
    action: "Correct the parameter named in the message.",
  },
  missing_parameter: { meaning: "A required parameter is missing.", action: "Add the named parameter." },
  duplicate_parameter: { meaning: "A parameter occurs more than once.", action: "Send it once." },
  unauthorized: {
    meaning: "The bearer token is missing, wrong or revoked.",
    action:
      "For a console, read its token over USB with `svc token` or store it with `svc pair`. For a hub, log in with `svc hub login`.",
  },
  foreign_host: {
    meaning: "The `Host` field names a host that cannot be the console; this prevents DNS rebinding.",
    action: "Use the console's IP address or its `.local` name.",
  },
  foreign_origin: {
    meaning: "A web page of another origin made the request.",
    action: "Build the firmware with the page's origin in `CONFIG_SVC_HTTP_ALLOWED_ORIGINS`.",
  },
  shell_disabled: {
    meaning: "The firmware does not allow shell commands over HTTP.",
    action: "Use USB, or build the firmware with `CONFIG_SVC_SHELL_WEB_CMD_ENABLE`.",
  },
  needs_post: {
    meaning: "The shell command changes the console, which GET must not do.",
    action: "Send the command with `POST /api/cmd`.",
  },
  not_found: {
    meaning: "There is no such path, shell command or file.",
    action: "Check the name; `help` lists the shell commands.",
  },
  wifi_only: { meaning: "The endpoint is available over HTTP only.", action: "Use the network address." },
  usb_only: {
    meaning: "The endpoint is available over USB only, since it is for the owner of the console.",
    action: "Connect the console by USB.",
  },
  method_not_allowed: {
    meaning: "The path does not support this method.",
    action: "Use a method that the `Allow` field lists.",
  },
  request_timeout: {
    meaning: "The request did not arrive in time.",
    action: "Send it again; check the network if this repeats.",
  },
  length_required: {
    meaning: "The request has no body although it needs one.",
    action: "Send the body, with `Content-Length` or chunked.",
  },
  body_too_large: { meaning: "The body exceeds the limit.", action: "Send a smaller body." },
  line_too_long: {
    meaning: "A USB message exceeds the limit for a line.",
    action: "Send a shorter line; split uploads into smaller chunks.",
  },
  uri_too_long: { meaning: "The request target exceeds the limit.", action: "Shorten the address." },
  media_type_unsupported: {
    meaning: "The body is not of a type that this endpoint accepts.",
    action:
      "Send the type that the endpoint documents: apps are `.svcpkg`, `.wasm` or AOT files, firmware is `.svcfw`.",
  },
  expectation_failed: {
    meaning: "The `Expect` field has a value other than `100-continue`.",
    action: "Remove the field.",
  },
  upgrade_required: {
    meaning: "The address is for WebSockets, version 13, only.",
    action: "Open it as a WebSocket.",
  },
  too_many_attempts: {
    meaning: "The rate limit is exceeded, for example by wrong tokens.",
    action: "Wait for `retry_after_s` seconds.",
  },
  head_too_large: { meaning: "The request head exceeds the limit.", action: "Send fewer or shorter fields." },
  internal_error: {
    meaning: "The program has a bug. The log has the details.",
    action: "Report it with the log (`svc logs`, or the log of the hub).",
  },
  not_implemented: {
    meaning:
      "The request uses a method or transfer coding that is not implemented, or hardware that this console lacks.",
    action:
      "Use the documented methods and `features` of `GET /api/system`; `chunked` is the only transfer coding.",
  },
  busy: {
    meaning: "The console or hub has no capacity for this request now.",
    action: "Try again after `retry_after_s` seconds.",
  },
  out_of_memory: {
    meaning: "The console has too little free memory.",
    action: "Stop an app or close connections, then try again.",
  },
  safe_mode: {
    meaning: "The console is in safe mode and does not run apps.",
    action: "Restart the console with `svc reboot`.",
  },
  version_unsupported: { meaning: "The HTTP version is not supported.", action: "Use HTTP/1.1." },
  storage_full: {
    meaning: "The storage has too little free space.",
    action: "Remove an app with `svc uninstall NAME`; on a hub, free disk space.",
  },
} as const satisfies Meanings<FaultCode>;

const UPLOADS = {
  upload_busy: {
    meaning: "Another upload is in progress.",
    action: "Wait until it ends. The console drops an upload after 30 s without data.",
  },
  chunk_out_of_order: {
    meaning: "The chunk is not the next one.",
    action: "Send the chunk whose number is in `expected`.",
  },
  upload_incomplete: {
    meaning: "The upload is empty, or ended before all bytes were received.",
    action: "Upload the whole file again.",
  },
  chunk_too_large: { meaning: "The chunk exceeds the limit.", action: "Send smaller chunks." },
  file_too_large: {
    meaning: "The file exceeds the limit of the console, the hub or `svc`.",
    action: "Make the file smaller; `svc system` shows the console's limit for apps.",
  },
  file_not_found: { meaning: "There is no such file.", action: "Check the path." },
} as const satisfies Meanings<FaultCode>;

const SIGNATURES = {
  signature_missing: {
    meaning: "The file has no signature, and the console accepts signed files only.",
    action: "Sign it: `svc install FILE --key PEM`, or `svc app pack DIR --key PEM`.",
  },
  signature_invalid: {
    meaning: "The file was changed after signing, or its key is not trusted, lacks the role, or is revoked.",
    action: "Check the file with `svc verify`, and sign it with a trusted key.",
  },
  package_invalid: {
    meaning: "The file is not a valid app package.",
    action: "Pack it again with `svc app pack DIR --key PEM`.",
  },
  package_too_large: {
    meaning: "The package unpacks to more bytes than allowed.",
    action: "Make the app smaller.",
  },
  manifest_invalid: {
    meaning: "`manifest.json` has a wrong or missing field.",
    action: "Correct the named field, and pack the app again.",
  },
  icon_invalid: {
    meaning: "The icon is not an uncompressed BMP of 32x32 pixels.",
    action: "Correct `icon_32.bmp` as [app packages](../spec/app-packages.md#icon) say.",
  },
  keys_invalid: {
    meaning: "A public key, or a file of public keys or certificates, cannot be used.",
    action: "Correct the block that the message names; `svc keygen` writes a valid file.",
  },
  too_many_keys: {
    meaning: "The console has four keys of its owner, which is the limit.",
    action: "Remove one: `svc keys list` and `svc keys remove KEY`.",
  },
  revocations_invalid: {
    meaning:
      "The list of revoked keys is damaged, not signed by a trusted firmware key, or would revoke every firmware key.",
    action: "Create the list again with `svc keys revoke`.",
  },
  revocations_older: {
    meaning: "A list with this or a higher number is already in use.",
    action: "Create the list from the newest one with `svc keys revoke --from LIST`.",
  },
} as const satisfies Meanings<FaultCode>;

const FIRMWARE = {
  bundle_magic: {
    meaning: "The file is not a firmware bundle.",
    action: "Create one with `svc firmware pack IMAGE --key PEM --out FILE.svcfw`.",
  },
  bundle_version: {
    meaning: "The bundle has a format version that this console does not support.",
    action: "Pack the image again with the `svc` of the console's version.",
  },
  bundle_length: { meaning: "The bundle is incomplete or has extra bytes.", action: "Copy the file again." },
  bundle_crc: { meaning: "The bundle is damaged.", action: "Copy the file again." },
  image_invalid: {
    meaning: "The bundle does not contain a firmware image.",
    action: "Build one with `npm run build:firmware` or ESP-IDF.",
  },
  version_downgrade: {
    meaning: "The firmware is older than the running one, or below the confirmed security version.",
    action:
      "Send newer firmware. Older versions need `CONFIG_SVC_OTA_ALLOW_DOWNGRADE`; the security version never goes down.",
  },
  wrong_board: {
    meaning: "The firmware is for another board or processor.",
    action: "Send firmware for the board that `svc system` shows.",
  },
  nothing_pending: {
    meaning: "There is no firmware to confirm or apply.",
    action: "Check with `svc ota status`; send firmware with `svc ota upload`.",
  },
  confirm_pending: {
    meaning: "Firmware is on trial, so that no other can be received.",
    action: "Keep it with `svc ota confirm`, or return to the old one with `svc reboot`.",
  },
} as const satisfies Meanings<FaultCode>;

const MODULES = {
  module_invalid: {
    meaning: "The file is not a valid WebAssembly module.",
    action: "Build the app again; the message names the byte.",
  },
  module_unsupported: {
    meaning:
      "The console does not run such a module or machine code: a WebAssembly feature, or what it is made for.",
    action: "Turn the named feature off in the compiler, or build the app for this console.",
  },
  import_unknown: {
    meaning: "The module imports a function that the ABI does not have.",
    action: "Remove the import; [the ABI](abi.md) lists the functions.",
  },
  capability_missing: {
    meaning: "The module imports a function whose capability the manifest does not declare.",
    action: "Add the capability to `capabilities` in `manifest.json`.",
  },
  entry_missing: {
    meaning: "The app does not have the entry function that the manifest names.",
    action: "Export it, or correct `entry` in `manifest.json`.",
  },
  quota_exceeded: {
    meaning: "The module needs more memory than the manifest or the console allows.",
    action: "Reduce its memory, or increase `memory_quota` within the console's limit.",
  },
  variant_invalid: {
    meaning: "The AOT file does not fit the app, its manifest or this console, or is damaged.",
    action: "Build it for the architecture that `svc system` shows, from the same module.",
  },
  module_damaged: {
    meaning: "The stored module or image differs from what was installed.",
    action: "Install the app again.",
  },
} as const satisfies Meanings<FaultCode>;

const APPS = {
  app_not_found: {
    meaning: "No app has this name.",
    action: "`svc apps` lists the apps on a console, `svc catalog` those on a hub.",
  },
  icon_not_found: { meaning: "The app has no icon.", action: "Show a default icon." },
  lines_invalid: {
    meaning: "A file does not contain the lines of an app, or those of another one.",
    action: "Name the `.lines` that `svc app pack` or `svc app build` has written beside the app's file.",
  },
  lines_not_found: {
    meaning: "The hub has no lines of the sources of this version.",
    action: "Publish with `svc publish`, which sends the `.svcpkg.lines` beside the package.",
  },
  picture_invalid: {
    meaning: "A screenshot is not a PNG that the hub accepts.",
    action: "Save it as a PNG of 8 bits a channel, not interlaced, with at most 1280 pixels a side.",
  },
  picture_not_found: { meaning: "The app has no screenshot of this number.", action: "Show none." },
  app_running: { meaning: "The app is running.", action: "Stop it with `svc stop NAME`." },
  app_stopped: { meaning: "The app is not running.", action: "Start it with `svc start NAME`." },
  app_not_newer: {
    meaning: "The app on the drive is not newer than the installed one.",
    action: "Nothing, or put a newer version on the drive.",
  },
  publisher_mismatch: {
    meaning: "The installed app of this name is from another publisher.",
    action:
      "If the publisher has a new key, send its succession (`svc key succeed`). Otherwise run `svc uninstall NAME` first, which deletes the app's data.",
  },
  version_older: {
    meaning: "The app is older than the installed version.",
    action: "Send a newer version, or use `svc install --downgrade` over USB.",
  },
  too_many_apps: {
    meaning: "The maximum number of apps is running or installed.",
    action: "Stop or uninstall another app.",
  },
} as const satisfies Meanings<FaultCode>;

const WIFI = {
  wifi_busy: { meaning: "A Wi-Fi scan or join is in progress.", action: "Try again in a few seconds." },
} as const satisfies Meanings<FaultCode>;

const HUB = {
  forbidden: {
    meaning: "The token is valid, but not for this request.",
    action: "Use the kind of token that the message names: account, publisher or device.",
  },
  not_owner: {
    meaning: "The app or firmware belongs to another publisher.",
    action: "Choose another name, or ask the owner to publish it.",
  },
  binding_invalid: {
    meaning: "The registration does not prove that the token belongs to this MAC address.",
    action: "Compute `binding` as [the specification](../spec/hub-api.md#binding) says.",
  },
  token_bound: {
    meaning: "The device token is or was used by another console.",
    action: "Register with a new token.",
  },
  device_not_found: {
    meaning: "The account has no console with this id; in `svc`, no console was found.",
    action: "`svc hub devices` lists the consoles of the account; `svc discover` those nearby.",
  },
  claim_code_unknown: {
    meaning: "No unclaimed console has this code, or the code has expired.",
    action: "Show the current code with `svc shell hub status` over USB.",
  },
  command_not_found: {
    meaning: "The console has no command with this id, or none that waits for an answer.",
    action: "Check the id.",
  },
  event_not_found: {
    meaning:
      "The console has no crash of an app with this id, or no longer: events end after some time, and a console keeps a thousand.",
    action: "`GET /devices/{id}/history` has the ids.",
  },
  command_over: {
    meaning: "The command has ended and cannot be cancelled.",
    action: "Send a new command if its effect must be undone.",
  },
  too_many_commands: {
    meaning: "Too many commands are waiting for the console.",
    action: "Wait until it connects, or cancel some.",
  },
  command_expired: {
    meaning: "The console did not execute this command in its time.",
    action: "Give it again if it is still wanted.",
  },
} as const satisfies Meanings<FaultCode>;

const CATALOGUE = {
  app_retracted: {
    meaning: "The app was withdrawn from the catalogue.",
    action: "Use another version or app.",
  },
  version_exists: {
    meaning: "This version is published already.",
    action: "Increase the version, and publish again.",
  },
  version_not_newer: {
    meaning: "The version is not newer than the newest published one.",
    action: "Increase the version, and publish again.",
  },
  version_not_found: {
    meaning: "The app or firmware has no such version.",
    action: "Omit the version to use the newest.",
  },
  firmware_not_found: {
    meaning: "The hub has no such firmware.",
    action: "Check version and architecture.",
  },
  firmware_withdrawn: { meaning: "The firmware was withdrawn.", action: "Use another version." },
  multipart_invalid: {
    meaning: "The upload form is malformed.",
    action: "Send the fields that [the hub's endpoints](hub.md) document.",
  },
  range_not_satisfiable: {
    meaning: "The requested byte range is beyond the end of the file.",
    action: "Start the download again.",
  },
  file_damaged: {
    meaning: "A file in the hub's storage is missing or damaged.",
    action: "Restore the hub's storage from a backup.",
  },
} as const satisfies Meanings<FaultCode>;

const PUBLISHERS = {
  account_not_found: {
    meaning: "No account of the hub has this id, or holds a console with it.",
    action: "`svc hub account list` lists the accounts.",
  },
  member_not_found: { meaning: "The account has no member with this id.", action: "List its members." },
  token_not_found: { meaning: "The account has no token with this id.", action: "List its tokens." },
  too_many_tokens: {
    meaning: "The account has a hundred members and tokens, which is the limit.",
    action: "End those that are no longer used.",
  },
  email_taken: {
    meaning: "Another member of the account has this e-mail address.",
    action: "Change that member, or remove them.",
  },
  session_not_found: {
    meaning: "The token is not that of a session: an owner or the account has given it.",
    action: "End it as such: remove the member, the program, or replace the account's token.",
  },
  sign_in_off: {
    meaning: "The hub has no sign-in by OpenID Connect.",
    action: "Add members with tokens, or have the operator set `SVC_HUB_OIDC_ISSUER`.",
  },
  sign_in_expired: {
    meaning: "No sign-in is under way in this browser, or it has taken too long or was used already.",
    action: "Sign in again.",
  },
  group_not_found: { meaning: "The account has no group with this id.", action: "List its groups." },
  too_many_groups: {
    meaning: "The account has a hundred groups, which is the limit.",
    action: "Remove those that are no longer used.",
  },
  too_many_devices: {
    meaning: "An order names more than a thousand consoles.",
    action: "Use a rollout, or choose fewer consoles.",
  },
  publisher_exists: { meaning: "There is a publisher of this name already.", action: "Choose another name." },
  publisher_not_found: {
    meaning: "No publisher has this name.",
    action: "`svc hub publisher list` lists the publishers.",
  },
  key_exists: {
    meaning:
      "The key is in use already, or a console's firmware trusts it for apps; in `svc keygen`, the key files exist.",
    action:
      "Create another key, or choose another directory. A key that the firmware trusts needs nothing more.",
  },
  key_not_found: {
    meaning: "The publisher has no key with this id; or the owner of the console has no such key.",
    action: "`svc hub key list NAME` lists the keys of a publisher, `svc keys list` those of a console.",
  },
  compile_off: {
    meaning: "The hub does not compile for this architecture.",
    action: "Compile with `--aot` and without `--by-hub`, or have the operator set `SVC_HUB_COMPILE`.",
  },
  compile_failed: {
    meaning:
      "The compiler reports errors; ahead of time, the module cannot be compiled, or takes more time or memory than the hub gives.",
    action: "Correct the sources; without `--aot`, consoles interpret the module.",
  },
  compiler_missing: {
    meaning: "A compiler is not installed, in `svc` or on the hub.",
    action:
      "Install what the message names; [a hub](../hub.md#compile-for-publishers) can compile ahead of time, too.",
  },
} as const satisfies Meanings<FaultCode>;

const WEBHOOKS = {
  webhook_not_found: { meaning: "The account has no webhook with this id.", action: "List its webhooks." },
  webhook_disabled: {
    meaning: "The webhook has failed for days, or its receiver answered 410, and gets nothing.",
    action: 'Enable it again: `PUT` with `{"enabled":true}`.',
  },
  too_many_webhooks: {
    meaning: "The account has ten webhooks, which is the limit.",
    action: "Delete one that is no longer used.",
  },
} as const satisfies Meanings<FaultCode>;

const ROLLOUTS = {
  rollout_not_found: { meaning: "There is no rollout with this id.", action: "Check the id." },
  rollout_state: {
    meaning: "The rollout's state does not allow this action.",
    action: "Read its state, and choose an action that fits.",
  },
  rollout_empty: { meaning: "The rollout selects no console.", action: "Change its selection." },
  too_many_rollouts: {
    meaning: "Too many rollouts are in progress.",
    action: "Wait until one ends, or cancel one.",
  },
} as const satisfies Meanings<FaultCode>;

const CONSOLE_AND_HUB = {
  hub_unset: {
    meaning: "No hub is configured, on the console or in `svc`.",
    action: "Set it with `POST /api/hub?url=…` on the console, or `svc hub login --url URL`.",
  },
  hub_unreachable: {
    meaning: "There is no connection to the hub.",
    action: "Check that the hub runs, and its address; consoles retry by themselves.",
  },
  hub_refused: {
    meaning: "The hub rejected the connection, or the answer is not from a hub.",
    action: "Check the address; the message has the status.",
  },
  download_failed: {
    meaning: "The download from the hub ended early or changed while it was downloaded.",
    action: "Nothing: the console retries. Check the network if this repeats.",
  },
  download_mismatch: {
    meaning: "The downloaded file has another digest or length than announced.",
    action: "Publish the file again.",
  },
  download_refused: {
    meaning: "The download address is not the hub's, and no trusted hub key has signed it.",
    action: "Serve files from the hub, or [sign the addresses](../hub.md).",
  },
  superseded: { meaning: "A newer command of the hub replaced this one.", action: "Nothing." },
  declined: {
    meaning: "The user of the console does not want what the hub ordered.",
    action: "Order it again once the user agrees.",
  },
} as const satisfies Meanings<FaultCode>;

const CONFIGURATION = {
  config_unknown: {
    meaning: "There is no build option of this name.",
    action: "Check the name in [build options](options.md).",
  },
  config_invalid: {
    meaning: "An option or environment variable has a value that is not allowed.",
    action: "Correct the value that the message names.",
  },
} as const satisfies Meanings<FaultCode>;

export interface ErrorGroup {
  readonly title: string;
  readonly meanings: Meanings<FaultCode>;
}

/** In the order of `FAULT_STATUS`. */
export const ERROR_GROUPS: readonly ErrorGroup[] = [
  { title: "Requests", meanings: REQUEST },
  { title: "Uploads", meanings: UPLOADS },
  { title: "Packages, signatures, keys", meanings: SIGNATURES },
  { title: "Firmware", meanings: FIRMWARE },
  { title: "Modules", meanings: MODULES },
  { title: "Apps", meanings: APPS },
  { title: "Wi-Fi", meanings: WIFI },
  { title: "Hub: accounts and consoles", meanings: HUB },
  { title: "Hub: catalogue and firmware", meanings: CATALOGUE },
  { title: "Hub: publishers", meanings: PUBLISHERS },
  { title: "Hub: rollouts", meanings: ROLLOUTS },
  { title: "Hub: webhooks", meanings: WEBHOOKS },
  { title: "A console and its hub", meanings: CONSOLE_AND_HUB },
  { title: "Configuration", meanings: CONFIGURATION },
];

/** Every code that consoles and hubs answer with. */
export const MEANINGS: Readonly<Record<FaultCode, ErrorMeaning>> = {
  ...REQUEST,
  ...UPLOADS,
  ...SIGNATURES,
  ...FIRMWARE,
  ...MODULES,
  ...APPS,
  ...WIFI,
  ...HUB,
  ...CATALOGUE,
  ...PUBLISHERS,
  ...ROLLOUTS,
  ...WEBHOOKS,
  ...CONSOLE_AND_HUB,
  ...CONFIGURATION,
};

/** Codes of `svc`, the web console and the tools, which no console or hub answers with. */
export const CLIENT_MEANINGS: Readonly<
  Record<Exclude<SvcCode | ClientCode | SdkCode, FaultCode>, ErrorMeaning>
> = {
  wrong_usage: {
    meaning: "The command line is wrong.",
    action: "`svc COMMAND --help` shows the usage.",
  },
  cancelled: {
    meaning: "The command was cancelled.",
    action: "The console may have completed part of it; check with `svc apps` and `svc ota status`.",
  },
  file_unreadable: {
    meaning: "A file cannot be read.",
    action: "Check its permissions, and that it is a file.",
  },
  file_not_written: {
    meaning: "A file cannot be written.",
    action: "Check that the directory exists and is writable, and the free space.",
  },
  file_empty: { meaning: "A file is empty.", action: "Check the path." },
  names_invalid: {
    meaning: "A file does not contain the names of a firmware build.",
    action: "Name the `.names.json` that was written beside the image.",
  },
  output_not_written: {
    meaning: "The result cannot be written to standard output.",
    action: "Check the disk; the command itself may have succeeded.",
  },
  key_invalid: {
    meaning: "A key file cannot be used.",
    action: "Create a key pair with `svc keygen --out DIR`.",
  },
  key_missing: {
    meaning: "No key was named, and there is no development key.",
    action: "Name a key with `--key`.",
  },
  token_invalid: {
    meaning: "The token is not that of an account or publisher.",
    action: "Copy the whole token.",
  },
  hub_unusable: {
    meaning: "The database or the files of the hub cannot be used.",
    action: "Check the SVC_HUB_… variables, and that the database runs.",
  },
  device_unreachable: {
    meaning: "Nothing answers at the console's address.",
    action: "Check that the console is on, and its address (`svc discover`).",
  },
  device_timeout: {
    meaning: "The console did not answer in time.",
    action: "Try again, or restart the console.",
  },
  device_lost: {
    meaning: "The connection to the console broke.",
    action: "Reconnect the cable, or wait until the console is back.",
  },
  device_ambiguous: { meaning: "Several consoles were found.", action: "Choose one with `--device`." },
  not_a_console: {
    meaning: "The device at this port or address is not a console.",
    action: "Choose another port or address.",
  },
  port_busy: {
    meaning: "Another program has the port open.",
    action: "Close that program or browser tab.",
  },
  port_denied: {
    meaning: "You have no permission to open the port.",
    action: "On Linux, join the group of the port, usually `dialout`.",
  },
  port_not_chosen: {
    meaning: "No port was chosen in the browser's dialog.",
    action: "Choose the console's port.",
  },
  serial_unsupported: {
    meaning: "The browser has no Web Serial.",
    action: "Use a browser based on Chromium, or the network.",
  },
  answer_invalid: {
    meaning: "The console's answer has an unexpected form.",
    action: "Update the firmware or `svc`.",
  },
  directory_not_empty: {
    meaning: "The directory for a new app is not empty.",
    action: "Choose a directory that does not exist yet.",
  },
  directory_invalid: { meaning: "A directory cannot be used.", action: "Choose another one." },
  name_invalid: {
    meaning: "The name is not allowed for an app.",
    action:
      "Use 1 to 32 letters, digits, `_`, `-` and `.`, no dot at either end, and no device name such as `con`.",
  },
  source_missing: {
    meaning: "The directory has no `manifest.json` or no sources.",
    action: "Name the directory of an app; create one with `svc app new`.",
  },
};
