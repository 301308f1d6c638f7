import { expect, test } from "vitest";
import { inOrder, type SupportSession } from "../src/screens/desk/queue.ts";
import { merged, type Message } from "../src/screens/support/messages.ts";

const message = (id: number): Message => ({ id, sender: "user", text: "", created_at: id });

function row(session_id: number, waiting: string | null, last: string): SupportSession {
  return {
    session_id,
    status: "open",
    user: null,
    created_at: last,
    last_message_at: last,
    last_message: null,
    waiting_since: waiting,
  };
}

test("messages come once, in their order", () => {
  const old = [message(1), message(3)];
  expect(merged(old, [message(3), message(2)]).map(({ id }) => id)).toEqual([1, 2, 3]);
  expect(merged(old, [message(1)])).toBe(old);
});

test("who waits longest comes first, then the newest", () => {
  const rows = [
    row(1, null, "2026-03-01T10:00:00Z"),
    row(2, "2026-03-01T09:00:00Z", "2026-03-01T09:00:00Z"),
    row(3, null, "2026-03-01T11:00:00Z"),
    row(4, "2026-03-01T08:00:00Z", "2026-03-01T12:00:00Z"),
  ];
  expect(inOrder(rows).map(({ session_id }) => session_id)).toEqual([4, 2, 3, 1]);
});
