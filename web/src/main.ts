import { mount } from "svelte";
import "./styles/tokens.css";
import "./styles/base.css";
import App from "./App.svelte";
import { notFound, routes } from "./routes.ts";
import { loadMessages } from "./lib/i18n.ts";
import { connection } from "./lib/connection.svelte.ts";
import { router } from "./lib/router.svelte.ts";
import { session } from "./lib/session.svelte.ts";
import { followUpgrades } from "./lib/upgrade.ts";
import { registerWorker } from "./lib/worker.ts";

followUpgrades();
// The session, the screen's code and the messages are asked for side by side.
session.start();
router.start(routes, notFound);
// No chunk waits for this module: screens and messages may be parts of what it is built into.
void begin();

async function begin(): Promise<void> {
  try {
    await loadMessages();
  } catch {
    // Without words there is no page: it begins anew once the service answers.
    await connection.back();
    location.reload();
    return;
  }
  mount(App, { target: document.getElementById("app") as HTMLElement });
  registerWorker();
}
