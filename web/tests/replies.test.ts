import { beforeEach, expect, test } from "vitest";
import type { Schemas } from "../src/api/client.ts";
import { Replies } from "../src/screens/event/replies.svelte.ts";

type Comment = Schemas["Comment"];

const comment = (id: number) => ({ id, content: String(id) }) as Comment;
const PAGE = 2;

/** What the service has, oldest first. */
let kept: Comment[];
let isLost: boolean;
let replies: Replies;

beforeEach(() => {
  [kept, isLost] = [[1, 2, 3, 4, 5].map(comment), false];
  replies = new Replies(
    (offset) =>
      isLost
        ? Promise.reject(new Error("lost"))
        : Promise.resolve(kept.slice(offset, offset + PAGE)),
    PAGE,
  );
});

const shown = () => replies.all.map(({ id }) => id);

test("a reply of one's own makes the next page leave none out", async () => {
  await replies.load();
  kept.push(comment(6));
  replies.add(comment(6));
  expect(shown()).toEqual([1, 2, 6]);
  await replies.load();
  expect(shown()).toEqual([1, 2, 3, 4, 6]);
  await replies.load();
  expect([shown(), replies.more]).toEqual([[1, 2, 3, 4, 5, 6], true]);
  await replies.load();
  expect([shown(), replies.more]).toEqual([[1, 2, 3, 4, 5, 6], false]);
});

test("a reply of one's own that came with a page is shown once", async () => {
  kept = [comment(1)];
  await replies.load();
  replies.add(comment(1));
  expect([shown(), replies.shown]).toEqual([[1], true]);
});

test("a changed reply stays in its place", async () => {
  await replies.load();
  replies.add(comment(6));
  for (const id of [1, 6]) replies.put({ ...comment(id), content: "changed" });
  expect(replies.all.map(({ content }) => content)).toEqual(["changed", "2", "changed"]);
});

test("a failed page is said, and asked for again", async () => {
  isLost = true;
  await replies.load();
  expect([replies.error?.code, replies.shown, replies.loading]).toEqual(["network", false, false]);
  isLost = false;
  await replies.load();
  expect([replies.error, shown()]).toEqual([undefined, [1, 2]]);
});
