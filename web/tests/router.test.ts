import { expect, test, vi } from "vitest";

vi.stubGlobal("location", { pathname: "/", search: "" });
const { match } = await import("../src/lib/router.svelte.ts");

test("a path's parameters are decoded", () => {
  expect(match("/events/:id", "/events/7")).toEqual({ id: "7" });
  expect(match("/tags/:tag", "/tags/%D1%81%D0%BF%D0%BE%D1%80%D1%82")).toEqual({ tag: "спорт" });
});

test("a missing optional parameter is left out", () => {
  expect(match("/create/:id?", "/create")).toEqual({});
  expect(match("/create/:id?", "/create/5")).toEqual({ id: "5" });
});

test("other paths do not match", () => {
  expect(match("/events/:id", "/events")).toBeNull();
  expect(match("/events/:id", "/events/")).toBeNull();
  expect(match("/events/:id", "/events/7/more")).toBeNull();
  expect(match("/", "/events")).toBeNull();
  expect(match("/events/:id", "/events/%E0%A4%A")).toBeNull();
});
