import { expect, test, vi } from "vitest";
import type { LiveEvent, LiveMessage, LivePool } from "../src/api/live.ts";

/** A socket that is open at once; the test speaks for the service. */
class FakeSocket extends EventTarget {
  static readonly OPEN = 1;
  static last: FakeSocket;
  readonly readyState = FakeSocket.OPEN;

  constructor() {
    super();
    FakeSocket.last = this;
  }

  send(): void {
    // What is asked for does not matter here.
  }

  close(): void {
    // Nor does the end.
  }

  say(message: LiveMessage): void {
    this.dispatchEvent(new MessageEvent("message", { data: JSON.stringify(message) }));
  }
}

vi.stubGlobal("location", { protocol: "http:", host: "here.example", pathname: "/", search: "" });
const page = { cookie: "", hidden: false, documentElement: {}, getElementById: () => null };
vi.stubGlobal("document", Object.assign(new EventTarget(), page));
vi.stubGlobal("addEventListener", () => undefined);
vi.stubGlobal("WebSocket", FakeSocket);
const { live } = await import("../src/lib/live.svelte.ts");

function pool(price: number): LivePool {
  return {
    pool_id: 70,
    paused: false,
    won_side: null,
    probabilities: [price],
    volume_kopecks: 0,
    trades: 0,
  };
}

function event(price: number): LiveEvent {
  return { event_id: 7, status: "active", comments: 0, pools: [pool(price)] };
}

test("while the connection is lost, a page asked for later is newer", async () => {
  const forget = live.watch([7]);
  await vi.waitFor(() => {
    expect(FakeSocket.last).toBeDefined();
  });
  const socket = FakeSocket.last;
  socket.say({ type: "now", events: [event(0.5)] });
  const [before, after] = [performance.now() - 1_000, performance.now() + 1_000];
  expect(live.pool(70, after)?.probabilities).toEqual([0.5]);

  socket.dispatchEvent(new Event("close"));
  expect(live.state).toBe("lost");
  expect([live.pool(70)?.probabilities, live.pool(70, before)?.probabilities]).toEqual([
    [0.5],
    [0.5],
  ]);
  expect([live.pool(70, after), live.event(7, after)]).toEqual([undefined, undefined]);

  await vi.waitFor(() => {
    expect(FakeSocket.last).not.toBe(socket);
  });
  FakeSocket.last.say({ type: "now", events: [event(0.6)] });
  expect(live.pool(70, after)?.probabilities).toEqual([0.6]);
  forget();
});

test("prices that come once nobody watches any more are not kept", async () => {
  const forget = live.watch([7]);
  await vi.waitFor(() => {
    expect(FakeSocket.last).toBeDefined();
  });
  const socket = FakeSocket.last;
  socket.say({ type: "now", events: [event(0.5)] });
  socket.say({ type: "prices", pool: pool(0.6) });
  expect(live.pool(70)?.probabilities).toEqual([0.6]);

  forget();
  socket.say({ type: "prices", pool: pool(0.7) });
  expect(live.pool(70)).toBeUndefined();

  live.watch([7]);
  socket.say({ type: "prices", pool: pool(0.8) });
  expect(live.pool(70)).toBeUndefined();
  socket.say({ type: "now", events: [event(0.9)] });
  expect(live.pool(70)?.probabilities).toEqual([0.9]);
});
