// A page that orders, with the service at the other end of its network.
import { beforeEach, vi } from "vitest";

const YEAR_2100_S = 4_102_444_800;
export const ANN = 7;
export const BOB = 8;
const RECEIPT = { shares: 200, amount_kopecks: 100, avg_price: 5_000, balance_kopecks: 900 };
export const REQUEST = {
  action: "buy",
  body: { market_id: 3, token_type: "YES", amount_kopecks: 100, min_shares: 190 },
} as const;
export const TRADE = {
  market_id: 3,
  token_type: "YES",
  action: "buy",
  amount_kopecks: 100,
  shares: 200,
};
export const ABOUT = { eventId: 2, name: "Will it rain?" };

type Reply = "lost" | { status: number; body: object; headers?: Record<string, string> };

interface World {
  /** Whose session the browser has. */
  signedIn: number | null;
  /** What the service answers to the next orders; a receipt once there is nothing left. */
  replies: Reply[];
  /** The orders that were sent, with the session that they were sent in. */
  sent: { key: string | null; user: number | null }[];
  /** The session storage. */
  kept: Map<string, string>;
  /** What the caller has traded. */
  trades: object[];
  /** What is written about the event, newest first. */
  comments: object[];
  page: EventTarget;
  /** What the service's answers wait for. */
  held: Promise<void>;
}

function fresh(): World {
  return {
    signedIn: ANN,
    replies: [],
    sent: [],
    kept: new Map(),
    trades: [],
    comments: [],
    page: new EventTarget(),
    held: Promise.resolve(),
  };
}

export const world = fresh();

function json({ status, body, headers = {} }: Exclude<Reply, "lost">): Response {
  return Response.json(body, { status, headers });
}

/** The network, with a service at its other end. */
async function fetchFrom(input: Request | string): Promise<Response> {
  await world.held;
  const path = typeof input === "string" ? input : new URL(input.url).pathname;
  if (path.endsWith("/ready")) return json({ status: 200, body: {} });
  if (path.endsWith("/auth/refresh") || world.signedIn === null)
    return json({ status: 401, body: { error: "unauthorized" } });
  if (path.endsWith("/users/me"))
    return json({ status: 200, body: { id: world.signedIn, balance_kopecks: 1_000 } });
  if (path.endsWith("/users/me/trades"))
    return json({ status: 200, body: { trades: world.trades } });
  if (path.endsWith("/events/2/comments"))
    return json({ status: 200, body: { comments: world.comments, next_cursor: null } });
  world.sent.push({ key: (input as Request).headers.get("idempotency-key"), user: world.signedIn });
  const reply = world.replies.shift() ?? { status: 201, body: RECEIPT };
  if (reply === "lost") throw new TypeError("lost");
  return json(reply);
}

class PageRequest extends Request {
  constructor(input: RequestInfo | URL, init?: RequestInit) {
    super(typeof input === "string" ? new URL(input, "http://here.example") : input, init);
  }
}

/** Opens the page, or loads it again: what the page before waited for is gone, its session storage is not. */
export async function open() {
  vi.clearAllTimers();
  vi.resetModules();
  world.page = new EventTarget();
  vi.stubGlobal("addEventListener", world.page.addEventListener.bind(world.page));
  // Fake timers do not wait for what is loaded when it is needed.
  await import("../src/slip/was-made.ts");
  await import("../src/lib/newest-comments.ts");
  const { orders } = await import("../src/slip/order.svelte.ts");
  const { session } = await import("../src/lib/session.svelte.ts");
  await session.load();
  return { orders, session };
}

export const later = (seconds: number) => vi.advanceTimersByTimeAsync(seconds * 1_000);
interface Stored {
  key: string;
  undecided: boolean;
}
export const allStored = () => JSON.parse(world.kept.get("order") ?? "[]") as Stored[];
export const stored = () => allStored()[0] ?? null;

beforeEach(() => {
  vi.useFakeTimers();
  Object.assign(world, fresh());
  vi.stubGlobal("fetch", fetchFrom);
  vi.stubGlobal("Request", PageRequest);
  vi.stubGlobal("navigator", { onLine: true });
  vi.stubGlobal("location", { pathname: "/", search: "" });
  vi.stubGlobal("document", {
    getElementById: () => null,
    get cookie() {
      return world.signedIn === null ? "" : `session_until=${String(YEAR_2100_S)}`;
    },
    documentElement: { lang: "en" },
  });
  vi.stubGlobal("sessionStorage", {
    getItem: (name: string) => world.kept.get(name) ?? null,
    setItem: (name: string, value: string) => world.kept.set(name, value),
    removeItem: (name: string) => world.kept.delete(name),
  });
});
