// Clarifications of a pool's rules: who may write one, and what is sent.
import type { Schemas } from "../../api/client.ts";
import type { Phase } from "./phase.ts";

/** As many characters as a clarification may have. */
export const TEXT_MOST = 5_000;
const BEFORE_RESULT: readonly Phase[] = ["soon", "open", "paused", "closed"];

/** Whether a reader may clarify now, by what the page says: who runs the event until trading ends, admins until the
 * result. */
export function mayClarifyNow(
  { phase }: { phase: Phase },
  { may }: Pick<Schemas["EventDetails"], "may">,
  reader: { is_admin: boolean } | null | undefined,
): boolean {
  if (!reader || may.length === 0 || !BEFORE_RESULT.includes(phase)) return false;
  return reader.is_admin || phase !== "closed";
}

/** What is sent of the two fields; null where both are empty. A text in Russian alone stands for both. */
export function clarificationOf(text: string, textRu: string): Schemas["ClarificationBody"] | null {
  const [english, russian] = [text.trim(), textRu.trim()];
  if (!english) return russian ? { text: russian, text_ru: null } : null;
  return { text: english, text_ru: russian };
}
