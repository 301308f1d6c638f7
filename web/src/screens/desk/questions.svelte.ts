// What visitors asked: an operator's list names a called conversation by its question, not by the call.
import { SvelteMap } from "svelte/reactivity";
import { get } from "../../api/client.ts";
import type { SupportSession } from "./queue.ts";

const questions = new SvelteMap<string, string>();

/** Of the call that came last: a later one may follow another question. */
const keyOf = ({ session_id, last_message_at }: SupportSession): string =>
  `${String(session_id)} ${last_message_at ?? ""}`;

const isCall = ({ last_message }: SupportSession): boolean => last_message?.sender === "system";

/** The last line of a conversation that a person wrote; "" while it is not known, or where there is none. Reactive. */
export function lastLine(row: SupportSession): string {
  return isCall(row) ? (questions.get(keyOf(row)) ?? "") : (row.last_message?.text ?? "");
}

/** Asks, once, for the questions of called conversations. */
export async function needQuestions(rows: SupportSession[]): Promise<void> {
  for (const row of rows) {
    const key = keyOf(row);
    if (!isCall(row) || questions.has(key)) continue;
    questions.set(key, "");
    try {
      const path = { session_id: row.session_id };
      const { messages } = await get("/api/v1/admin/chat/sessions/{session_id}/messages", { path });
      questions.set(key, messages.findLast(({ sender }) => sender === "user")?.text ?? "");
    } catch {
      questions.delete(key);
    }
  }
}
