// The card of an event for pages elsewhere: its address, and the code that shows it.
import type { Language } from "../../lib/i18n.ts";

/** "system": as light or dark as its reader's. */
export const EMBED_THEMES = ["system", "light", "dark"] as const;
export type EmbedTheme = (typeof EMBED_THEMES)[number];

/** Pixels of a card whose question takes three lines, without outcomes, and of each outcome. */
const FRAME = 138;
const ROW = 46;
const ROWS_MAX = 3;

export function embedPath(eventId: number, theme: EmbedTheme, language: Language): string {
  const query = new URLSearchParams({ ...(theme === "system" ? {} : { theme }), lang: language });
  return `/embed/events/${String(eventId)}?${query.toString()}`;
}

/** HTML for a page of one's own. */
export function embedCode(url: string, name: string, outcomes: number): string {
  const rows = Math.min(outcomes, ROWS_MAX) + (outcomes > ROWS_MAX ? 0.5 : 0);
  const height = String(Math.round(FRAME + rows * ROW));
  return (
    `<iframe src="${escape(url)}" title="${escape(name)}" width="100%" height="${height}" ` +
    `style="border:0;border-radius:10px;max-width:600px" loading="lazy"></iframe>`
  );
}

function escape(text: string): string {
  return text
    .replaceAll("&", "&amp;")
    .replaceAll('"', "&quot;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;");
}
