import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { KeptDraft } from "../src/screens/create/kept-draft.svelte.ts";

/** A browser's storage, which tabs share. */
function fakeStorage(isFull = false) {
  const values = new Map<string, string>();
  return {
    getItem: (name: string) => values.get(name) ?? null,
    setItem: (name: string, value: string) => {
      if (isFull) throw new Error("full");
      values.set(name, value);
    },
    removeItem: (name: string) => values.delete(name),
  };
}

describe("a kept draft", () => {
  beforeEach(() => {
    vi.stubGlobal("localStorage", fakeStorage());
  });
  afterEach(() => {
    vi.unstubAllGlobals();
  });

  test("is there again, until none is kept", () => {
    const tab = new KeptDraft("draft 1");
    expect([tab.text, tab.state]).toEqual([null, "empty"]);
    tab.keep("a");
    expect(tab.state).toBe("kept");
    expect([new KeptDraft("draft 1").text, new KeptDraft("draft 1").state]).toEqual(["a", "kept"]);
    expect(new KeptDraft("draft 2").text).toBeNull();
    tab.keep(null);
    expect([tab.state, new KeptDraft("draft 1").text]).toEqual(["empty", null]);
  });

  test("of one tab is not overwritten by another that has not seen it", () => {
    const [early, late] = [new KeptDraft("draft 1"), new KeptDraft("draft 1")];
    early.keep("a");
    late.keep("b");
    expect([late.state, new KeptDraft("draft 1").text]).toEqual(["elsewhere", "a"]);
    late.keep("b and more");
    expect(new KeptDraft("draft 1").text).toBe("a");
    late.overwrite("b and more");
    expect([late.state, new KeptDraft("draft 1").text]).toEqual(["kept", "b and more"]);
    early.keep(null);
    expect([early.state, new KeptDraft("draft 1").text]).toEqual(["elsewhere", "b and more"]);
    expect([early.take(), early.state]).toEqual(["b and more", "kept"]);
  });

  test("is noticed when another tab keeps it", () => {
    const listeners: (() => void)[] = [];
    vi.stubGlobal("addEventListener", (_: string, call: () => void) => listeners.push(call));
    vi.stubGlobal("removeEventListener", () => listeners.pop());
    const [early, late] = [new KeptDraft("draft 1"), new KeptDraft("draft 1")];
    const end = early.listen();
    late.keep("b");
    listeners.forEach((call) => {
      call();
    });
    expect(early.state).toBe("elsewhere");
    end();
    expect(listeners).toEqual([]);
  });

  test("is not said to be kept where storage is full", () => {
    vi.stubGlobal("localStorage", fakeStorage(true));
    const tab = new KeptDraft("draft 1");
    tab.keep("a");
    tab.keep("ab");
    expect(tab.state).toBe("unkept");
  });
});
