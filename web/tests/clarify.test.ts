import { describe, expect, it } from "vitest";
import { clarificationOf, mayClarifyNow } from "../src/screens/event/clarify.ts";

const admin = { is_admin: true };
const creator = { is_admin: false };
const runs = { may: ["image"] as "image"[] };

describe("who may clarify", () => {
  it("is who runs the event until trading ends, and an admin until the result", () => {
    for (const phase of ["soon", "open", "paused"] as const) {
      expect(mayClarifyNow({ phase }, runs, creator)).toBe(true);
      expect(mayClarifyNow({ phase }, runs, admin)).toBe(true);
    }
    expect(mayClarifyNow({ phase: "closed" }, runs, creator)).toBe(false);
    expect(mayClarifyNow({ phase: "closed" }, runs, admin)).toBe(true);
    for (const phase of ["new", "cancelled", "decided", "paying", "paid"] as const)
      expect(mayClarifyNow({ phase }, runs, admin)).toBe(false);
  });
  it("is no one else", () => {
    for (const reader of [null, undefined, creator])
      expect(mayClarifyNow({ phase: "open" }, { may: [] }, reader)).toBe(false);
  });
});

describe("what is sent", () => {
  it("stands in for the other language where one is empty", () => {
    expect(clarificationOf("", " \n")).toBeNull();
    expect(clarificationOf(" Yes. ", "")).toEqual({ text: "Yes.", text_ru: "" });
    expect(clarificationOf("Yes.", "Да.")).toEqual({ text: "Yes.", text_ru: "Да." });
    expect(clarificationOf(" ", "Да.")).toEqual({ text: "Да.", text_ru: null });
  });
});
