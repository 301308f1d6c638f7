// Keeps the session's cookies alive. The access token is HttpOnly; `session_until` says when it ends (Unix seconds).
// Without it, endpoints for everybody answer as to a stranger, so it is looked at before every request.
import { now } from "../lib/clock.svelte.ts";

const MARGIN_MS = 60_000;
const AFTER_FAILURE_MS = 5_000;

/** When the access token ends, Unix milliseconds; null where nobody is signed in. */
export function sessionUntil(): number | null {
  const found = /(?:^|;\s*)session_until=(\d+)/.exec(document.cookie);
  return found ? Number(found[1]) * 1000 : null;
}

export async function refreshIfDue(): Promise<void> {
  if (isDue()) await oneAtATime(() => (isDue() ? refresh() : Promise.resolve(true)));
}

/** Refreshes unless another tab just did. Returns whether the session lives. */
export async function refreshNow(): Promise<boolean> {
  const before = sessionUntil();
  if (before === null) return false;
  return oneAtATime(() =>
    sessionUntil() === before ? refresh() : Promise.resolve(sessionUntil() !== null),
  );
}

let failedAt = -Infinity;

function isDue(): boolean {
  const until = sessionUntil();
  return (
    until !== null && now() > until - MARGIN_MS && performance.now() - failedAt > AFTER_FAILURE_MS
  );
}

async function refresh(): Promise<boolean> {
  try {
    const response = await fetch("/api/v1/auth/refresh", { method: "POST" });
    if (response.ok) return true;
  } catch {
    // No answer: the request that waits for this fails by itself.
  }
  failedAt = performance.now();
  return false;
}

let underway: Promise<boolean> | null = null;

/** One refresh at a time: in this tab by a promise, among tabs by a lock where the browser has one (not on plain HTTP). */
function oneAtATime(work: () => Promise<boolean>): Promise<boolean> {
  const locks = "locks" in navigator ? navigator.locks : null;
  underway ??= Promise.resolve(locks ? locks.request("session", work) : work()).finally(() => {
    underway = null;
  });
  return underway;
}
