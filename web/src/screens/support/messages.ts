import type { Schemas } from "../../api/client.ts";
import type { components } from "../../api/live-schema.d.ts";

export type Message = Schemas["ChatMessage"];
export type ChatEvent = components["schemas"]["ChatEvent"];

/** Messages in their order, each once. */
export function merged(old: Message[], added: Message[]): Message[] {
  const known = new Set(old.map(({ id }) => id));
  const fresh = added.filter(({ id }) => !known.has(id));
  return fresh.length === 0 ? old : [...old, ...fresh].toSorted((one, other) => one.id - other.id);
}
