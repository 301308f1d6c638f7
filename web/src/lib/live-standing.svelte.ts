import { t } from "./i18n.ts";
import { live } from "./live.svelte.ts";

/** Whether what is shown is live, in a word and its look. Reactive. */
export function liveStanding(): { look: "live" | "warn" | ""; text: string } {
  if (live.state === "live") return { look: "live", text: t("home.connected") };
  if (live.state === "lost") return { look: "warn", text: t("home.reconnecting") };
  return { look: "", text: t("home.connecting") };
}
