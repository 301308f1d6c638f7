// Names of events and outcomes that only ids are known of: the live trades.
import { SvelteMap } from "svelte/reactivity";
import { answer, api, type Schemas } from "../api/client.ts";

const MOST = 200;
const events = new SvelteMap<number, Schemas["Event"] | null>();

/** An event by its id once it is known: asked for at most once. Reactive. */
export function eventOf(id: number): Schemas["Event"] | null {
  return events.get(id) ?? null;
}

/** Asks for an event whose names will be shown. */
export async function needEvent(id: number): Promise<void> {
  if (events.has(id)) return;
  if (events.size >= MOST) events.delete(events.keys().next().value ?? 0);
  events.set(id, null);
  try {
    events.set(
      id,
      await answer(api.GET("/api/v1/events/{event_id}", { params: { path: { event_id: id } } })),
    );
  } catch {
    events.delete(id);
  }
}
