// How positions, movements and trades are called in lists.
import { t } from "./i18n.ts";

/** "Yes" or "No" in the page's language. */
export function sideText(side: "YES" | "NO"): string {
  return t(side === "YES" ? "common.yes" : "common.no");
}

/** An outcome's name, or "" where it says no more than the question: a yes/no market is named after it. */
export function outcomeName(market: string, ...questions: (string | undefined)[]): string {
  return questions.includes(market) ? "" : market;
}
