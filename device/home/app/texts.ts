/**
 * Every text of the home screen. A row has a column for each language; a second language is a second parameter of
 * `row`, which then chooses by a setting. A line of the display has 30 characters.
 */
function row(english: string): string {
  return english;
}

// The bottom line
export const HINTS_GRID = row("A Open START Info SELECT Menu");
export const HINTS_MENU = row("A Choose   B Back");
export const HINTS_CHANGE = row("A Change   B Back");
export const HINTS_PAGE = row("B Back");
export const HINTS_SCROLL = row("Up/Down Scroll   B Back");
export const HINTS_ACTIONS = row("A Choose  Left/Right  B Back");
export const HINTS_DETAILS = row("A OK SELECT Background B Back");
export const HINTS_CARD = row("A Close");
export const HINTS_QUESTION = row("A Choose  Up/Down  B Cancel");
export const HINTS_KEYBOARD = row("X Del Y Shift START Done B Esc");
export const HINTS_EMPTY = row("SELECT Menu");

// The line on top
export const BAR_HUB = row("Hub");
export const BAR_NO_HUB = row("no hub");
export const BAR_WIRED = row("LAN");

// Failures
export const FAILED = row("That did not work");
export const BUSY = row("The console is busy. Try again in a moment.");
export const NO_ANSWER = row("The console did not answer.");

// Apps
export const NO_APPS = row("No apps yet");
export const NO_APPS_HOW = row(
  'Send one from the console\'s page in a browser, with "svc install", or from the folder apps of an SD card.',
);
export const RUNNING = row("running");
export const OPEN = row("Open");
export const START = row("Start");
export const STOP = row("Stop");
export const UNINSTALL = row("Uninstall");
export const CANCEL = row("Cancel");
export const UNINSTALL_QUESTION = row("Uninstall?");
export const UNINSTALL_EFFECT = row(" and everything that it has stored will be deleted.");
export const APP_GONE = row("This app is no longer installed.");
export const BY = row("by ");
export const SIZE = row("Size: ");
export const MAY = row("May: ");
export const MAY_NOTHING = row("nothing special");
/** Whether it runs there: 19 characters at the most. */
export const BACKGROUND_YES = row("In background: yes");
export const BACKGROUND_NO = row("In background: no");
export const LAST_RUN = row("Last run: ");
export const NEVER_RAN = row("never");
export const DETAILS = row("App");

// Capabilities, in the order of their bits (docs/spec/capabilities.md#bits)
export const CAPABILITY_DISPLAY = row("draw on the display");
export const CAPABILITY_READ_PINS = row("read buttons and pins");
export const CAPABILITY_SET_PINS = row("set pins");
export const CAPABILITY_READ_STORAGE = row("read what it has stored");
export const CAPABILITY_STORE = row("store data");
export const CAPABILITY_NETWORK = row("use the network");
export const CAPABILITY_BLUETOOTH = row("use Bluetooth");
export const CAPABILITY_APPS = row("control other apps");
export const CAPABILITY_SOUND = row("play sounds");

// How a run ended
export const ENDED = row("ended by itself");
export const ENDED_WITH = row("ended with code ");
export const ENDED_STOPPED = row("was stopped");
export const ENDED_TRAP = row("crashed");
export const ENDED_QUOTA = row("did not get the memory that it needs");
export const ENDED_HOST_ERROR = row("was ended by an error of the console");
export const APP_ENDED = row("An app has ended");

// Settings
export const SETTINGS = row("Settings");
export const WIFI = row("Wi-Fi");
export const CONSOLE = row("Console");
export const HUB = row("Hub");
export const FIRMWARE = row("Firmware");
export const STORAGE = row("Storage");
export const LOG = row("Log");
export const DISPLAY = row("Display");
export const AT_START = row("At start");
export const UPDATES = row("Updates");
export const FACTORY_RESET = row("Factory reset");

// Wi-Fi
export const WIFI_LOOKING = row("Looking for networks...");
export const WIFI_NONE = row("No network was found.");
export const WIFI_AGAIN = row("Look again");
export const WIFI_OTHER = row("Other network");
export const WIFI_OTHER_OF_MORE = row("Other (there are more)");
export const WIFI_FORGET = row("Forget ");
export const WIFI_FORGET_QUESTION = row("Forget network?");
export const WIFI_FORGET_EFFECT = row("The console leaves it, and joins none at its start.");
export const FORGET = row("Forget");
export const WIFI_UNPROVISIONED = row("not set up");
export const WIFI_JOINING = row("joining ");
export const WIFI_JOINED = row("joined ");
export const WIFI_WAITING = row("trying again: ");
export const WIFI_NAME = row("Name of the network");
export const WIFI_PASSWORD = row("Password of ");
export const WIFI_NOT_FOUND = row("The network was not found.");
export const WIFI_WRONG_PASSWORD = row("The password is wrong.");
export const WIFI_REFUSED = row("The network refuses the console.");
export const WIFI_LOST = row("The connection was lost.");
export const WIFI_NO_ADDRESS = row("The network gives no address.");
export const WIFI_TIMEOUT = row("The network does not answer.");
export const WIFI_LOCKED = row("locked ");

// Set-up with a phone
export const SETUP = row("Set up with a phone");
export const SETUP_NAME = row("Network  ");
export const SETUP_PASSWORD = row("Password ");
export const SETUP_PHONES = row("Phones   ");
export const SETUP_WAITING = row("Scan the code with a phone.");
export const SETUP_CHOOSE = row("Choose on the phone.");
export const SETUP_TIMEOUT = row("The time for this is over.");
export const SETUP_CLOSED = row("This was ended elsewhere.");

// Keyboard
export const KEY_SHIFT = row("Shift");
export const KEY_SYMBOLS = row("#+=");
export const KEY_LETTERS = row("abc");
export const KEY_SPACE = row("Space");
export const KEY_DELETE = row("Del");
export const KEY_DONE = row("Done");

// Console
export const NAME = row("Name: ");
export const BOARD = row("Board: ");
export const ADDRESS = row("Address: ");
export const NO_ADDRESS = row("none");
export const FREE_MEMORY = row("Free memory: ");
export const PAGE_NEEDS_NETWORK = row("Join a Wi-Fi network to open the console's page in a browser.");
export const PAGE_AT = row("Its page: ");

// Hub
export const HUB_NONE = row("The console belongs to no hub.");
export const HUB_CONNECTED = row("Connected");
export const HUB_NOT_CONNECTED = row("Not connected");
export const HUB_CLAIM = row("Claim code:");
export const HUB_OFF = row("none");
export const HUB_SET = row("Set");
export const HUB_CHANGE = row("Change");
export const HUB_ANSWER = row("Answer");
export const HUB_LEAVES = row("The console keeps its apps, and leaves ");

// What the hub asks
export const QUESTION_APP = row("Install an app?");
export const QUESTION_FROM = row(" Ordered by ");
export const PUBLISHED_BY = row(", by ");
export const REFUSE = row("Refuse");

// Firmware
export const VERSION = row("Version: ");
export const SLOT = row(", slot ");
export const FIRMWARE_IDLE = row("No update in progress.");
export const FIRMWARE_RECEIVING = row("Receiving: ");
export const FIRMWARE_STAGED = row("The next start tries version ");
export const FIRMWARE_TRIAL = row("On trial. Keep it, or the console goes back in ");
export const FIRMWARE_AVAILABLE = row("Available: ");
export const FIRMWARE_INSTALL = row("Install");
export const FIRMWARE_KEEP = row("Keep");
export const FIRMWARE_BACK = row("Go back");
export const FIRMWARE_RESTART = row("Restart");
export const FIRMWARE_LATER = row("Later");
export const FIRMWARE_OFFER = row("New firmware");
export const FIRMWARE_OFFERED = row(" is available. The console restarts to try it.");
export const FIRMWARE_CONFIRMED = row("The last update was kept.");
export const FIRMWARE_ROLLED_BACK = row("The last update was taken back");
export const FIRMWARE_REJECTED = row("The last update was rejected");
export const FIRMWARE_ON_TRIAL = row("on trial");
export const RESTARTING = row("The console restarts...");

// Storage
export const STORAGE_USED = row(" used of ");
export const STORAGE_FREE = row("Free: ");
export const CARD_FILES = row("SD card files: ");
export const CARD_REFUSED = row(", refused: ");
export const CARD_MORE = row(". More were left out.");
export const STORAGE_UNKNOWN = row("The console does not know its storage.");

// Log
export const LOG_EMPTY = row("The log is empty.");
export const LOG_NEWEST = row("Newest");

// Display
export const BRIGHTNESS = row("Brightness");
export const SLEEP_AFTER = row("Sleep after");
export const NEVER = row("never");
export const SECONDS = row(" s");
export const MINUTES = row(" min");
export const PERCENT = row(" %");

// At start, updates
export const START_HOME = row("Home screen");
export const START_LAST = row("Last app");
export const UPDATES_ASK = row("Ask first");
export const UPDATES_ASK_ALL = row("Ask, apps too");
export const UPDATES_AUTOMATIC = row("Automatic");

// Keys of the owner
export const KEYS = row("Keys for apps");
export const KEY_ADD_QUESTION = row("Let this key sign apps?");
export const KEY_ADD = row("Allow");
export const KEY_FORGET_QUESTION = row("Forget this key?");
export const KEY_EFFECT = row(": its apps will not start.");

// Factory reset
export const RESET_EFFECT = row(
  "All apps with their data, your keys, the Wi-Fi network, the hub and all settings will be deleted.",
);
export const RESET_CONTINUE = row("Continue");
export const RESET_SURE = row("Really delete everything?");
export const RESET_NO_WAY_BACK = row("This cannot be undone.");
export const RESET_NOW = row("Delete all");
