import type { Schemas } from "../../api/client.ts";

export type SupportSession = Schemas["SupportSession"];

const time = (moment: string | null) => (moment ? Date.parse(moment) : 0);

/** Those who wait first, the longest first; then the newest. */
export function inOrder(sessions: SupportSession[]): SupportSession[] {
  return sessions.toSorted((one, other) => {
    const [a, b] = [one.waiting_since, other.waiting_since];
    if (a && b) return time(a) - time(b);
    if (a || b) return a ? -1 : 1;
    return (
      time(other.last_message_at ?? other.created_at) - time(one.last_message_at ?? one.created_at)
    );
  });
}
