import { mount } from "svelte";
import "./styles/tokens.css";
import "./styles/base.css";
import App from "./App.svelte";
import { loadMessages } from "./lib/i18n.ts";
import { stored, store } from "./lib/storage.ts";

// After an upgrade the old code's chunks are gone: load the page anew, but not again and again.
const RELOAD_MS = 60_000;
addEventListener("vite:preloadError", (event) => {
  if (Date.now() - Number(stored("reloaded_at")) < RELOAD_MS) return;
  store("reloaded_at", String(Date.now()));
  event.preventDefault();
  location.reload();
});

await loadMessages();
mount(App, { target: document.getElementById("app") as HTMLElement });
