import { expect, test, vi } from "vitest";
import type { Schemas } from "../src/api/client.ts";

vi.stubGlobal("addEventListener", () => undefined);
vi.stubGlobal("navigator", { onLine: true });
vi.stubGlobal("location", { pathname: "/", search: "" });
vi.stubGlobal("document", {
  addEventListener: () => undefined,
  cookie: "",
  getElementById: () => null,
  documentElement: {},
});
const { lastEnd } = await import("../src/screens/mine/ends.svelte.ts");

const ended = (decided: boolean, disputable: string | null, held: string | null = null) => ({
  resolution: {
    decided_at: decided ? "2026-03-01T08:00:00Z" : null,
    disputable_until: disputable,
    held_until: held,
  } as Schemas["PoolResolution"],
});
const early = "2026-03-01T09:00:00.000Z";
const late = "2026-03-08T09:00:00.000Z";

test("an event is decided once each of its pools is, until the last of them is final", () => {
  expect(lastEnd([ended(true, early)])).toBe(early);
  expect(lastEnd([ended(true, early, late)])).toBe(late);
  expect(lastEnd([ended(true, late), ended(true, early), ended(true, null)])).toBe(late);
  expect(lastEnd([ended(true, early), ended(false, null)])).toBeNull();
  expect(lastEnd([ended(true, null)])).toBeNull();
});
