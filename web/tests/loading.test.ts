import { expect, test, vi } from "vitest";

vi.stubGlobal("location", { pathname: "/", search: "" });
const { byId, Loaded, Paged } = await import("../src/lib/loading.svelte.ts");

interface Item {
  id: number;
  text?: string;
}

/** A list whose pages are answered when the test says so, with what it says. */
function list() {
  const waiting: ((ids: number[], next?: string) => Promise<void>)[] = [];
  const cursors: (string | undefined)[] = [];
  const made = new Paged<Item>((cursor) => {
    cursors.push(cursor);
    return new Promise((resolve) => {
      waiting.push(async (ids, next) => {
        resolve({ items: ids.map((id) => ({ id })), next: next ?? null });
        await Promise.resolve();
      });
    });
  }, byId);
  const answer = async (asked: Promise<void>, ids: number[], next?: string) => {
    await waiting.shift()?.(ids, next);
    await asked;
  };
  return { made, cursors, answer, shown: () => made.items.map(({ id }) => id) };
}

test("an item that comes while its page is asked for is shown once", async () => {
  const { made, answer, shown } = list();
  const first = made.more();
  made.put({ id: 3, text: "live" });
  await answer(first, [3, 2, 1]);
  expect(shown()).toEqual([3, 2, 1]);
  expect(made.items[0]?.text).toBe("live");
});

test("an item whose rank fell between two pages is shown once", async () => {
  const { made, cursors, answer, shown } = list();
  await answer(made.more(), [9, 8], "next");
  made.put({ id: 1 });
  await answer(made.more(), [8, 7, 1]);
  expect(shown()).toEqual([1, 9, 8, 7]);
  expect(cursors).toEqual([undefined, "next"]);
  expect(made.hasMore).toBe(false);
});

test("a changed item stays in its place, a new one comes to the top", async () => {
  const { made, answer, shown } = list();
  await answer(made.more(), [2, 1]);
  made.put({ id: 1, text: "liked" });
  made.put({ id: 3 });
  expect(shown()).toEqual([3, 2, 1]);
  expect(made.items[2]?.text).toBe("liked");
});

test("a list asked for anew loses nothing that came meanwhile, and forgets what is gone", async () => {
  const { made, answer, shown } = list();
  await answer(made.more(), [2, 1]);
  const anew = made.reload();
  made.put({ id: 3 });
  made.put({ id: 4 });
  made.put({ id: 2, text: "liked" });
  await answer(anew, [3, 2]);
  expect(shown()).toEqual([4, 3, 2]);
  expect(made.items[2]?.text).toBe("liked");
});

test("what failed is tried again as it was asked for", async () => {
  const asked: (string | undefined)[] = [];
  let fails = false;
  const made = new Paged<Item>((cursor) => {
    asked.push(cursor);
    const page = { items: [{ id: asked.length }], next: asked.length === 1 ? "next" : null };
    return fails ? Promise.reject(new Error("lost")) : Promise.resolve(page);
  }, byId);
  await made.more();
  fails = true;
  await made.more();
  fails = false;
  await made.retry();
  expect([made.hasMore, made.error, asked]).toEqual([
    false,
    undefined,
    [undefined, "next", "next"],
  ]);

  fails = true;
  await made.reload();
  expect(made.error).toBeDefined();
  fails = false;
  await made.retry();
  expect([made.error, asked.at(-1)]).toEqual([undefined, undefined]);
  expect(made.items).toEqual([{ id: 5 }]);
});

/** An answer that comes when the test says so; the asking ends where it is aborted. */
function slow() {
  const waiting: ((value: number) => void)[] = [];
  const made = new Loaded<number>(
    (signal) =>
      new Promise((resolve, reject) => {
        waiting.push(resolve);
        signal.addEventListener("abort", () => {
          reject(new DOMException("", "AbortError"));
        });
      }),
  );
  const answer = async (value: number) => {
    waiting.at(-1)?.(value);
    await new Promise((resolve) => setTimeout(resolve, 0));
  };
  return { made, answer, asked: () => waiting.length };
}

test("an answer slower than what asks for it again is shown, then asked for once more", async () => {
  const { made, answer, asked } = slow();
  void made.load();
  const polls = [made.reload(), made.reload(), made.reload()];
  expect(asked()).toBe(1);
  await answer(1);
  expect([made.data, made.asking, asked()]).toEqual([1, true, 2]);
  await answer(2);
  await Promise.all(polls);
  expect([made.data, made.asking, made.loading, asked()]).toEqual([2, false, false, 2]);
});

test("an answer is as old as its question", async () => {
  const { made, answer } = slow();
  const before = performance.now();
  const first = made.load();
  const asked = performance.now();
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(made.askedAt).toBe(0);
  await answer(1);
  await first;
  expect(made.askedAt).toBeGreaterThanOrEqual(before);
  expect(made.askedAt).toBeLessThanOrEqual(asked);
});

test("a person's own asking takes the place of what is under way and waits", async () => {
  const { made, answer, asked } = slow();
  void made.reload();
  void made.reload();
  const own = made.load();
  await answer(3);
  await own;
  expect([made.data, made.asking, asked()]).toEqual([3, false, 2]);
});

test("a request that the browser ended by itself does not hold up the next one", async () => {
  const asked = vi.fn(() => Promise.reject(new DOMException("", "AbortError")));
  const made = new Loaded<number>(asked);
  await made.load();
  await made.reload();
  expect([made.asking, asked.mock.calls.length]).toEqual([false, 2]);
});
