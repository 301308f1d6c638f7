import { mount } from "svelte";
import "./styles/tokens.css";
import "./styles/base.css";
import App from "./App.svelte";
import { notFound, routes } from "./routes.ts";
import { loadMessages } from "./lib/i18n.ts";
import { router } from "./lib/router.svelte.ts";
import { session } from "./lib/session.svelte.ts";
import { stored, store } from "./lib/storage.ts";

// After an upgrade the old code's chunks are gone: load the page anew, but not again and again.
const RELOAD_MS = 60_000;
addEventListener("vite:preloadError", (event) => {
  if (Date.now() - Number(stored("reloaded_at")) < RELOAD_MS) return;
  store("reloaded_at", String(Date.now()));
  event.preventDefault();
  location.reload();
});

// The session, the screen's code and the messages are asked for side by side.
session.start();
router.start(routes, notFound);
await loadMessages();
mount(App, { target: document.getElementById("app") as HTMLElement });
