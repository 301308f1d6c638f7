import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { loadMessages } from "../src/lib/i18n.ts";
import { decidedText, paidKopecks } from "../src/lib/results.ts";

await loadMessages("en");
beforeEach(() => {
  vi.useFakeTimers({ now: new Date(2026, 2, 1, 12) });
});
afterEach(() => {
  vi.useRealTimers();
});

const held = { amount: 5_010, token_type: "YES" as const };
const no = { ...held, token_type: "NO" as const };
const result = (payouts: number[] | null, won: number | null, more = {}) => ({
  decided_at: "2026-03-01T08:00:00Z",
  payouts,
  won_side: won,
  void_at: null,
  disputable_until: new Date(2026, 2, 1, 15).toISOString(),
  ...more,
});

test("a position is paid what its outcome's result says, in whole kopecks", () => {
  expect(paidKopecks(held, 0, result([1, 0], 0), 0.4)).toBe(5_010);
  expect(paidKopecks(no, 0, result([1, 0], 0), 0.4)).toBe(0);
  expect(paidKopecks(held, 1, result([0, 1, 0], 1), 0.4)).toBe(5_010);
  // 1 − 0.9 is a little under 0.1.
  expect(paidKopecks(no, 0, result([0.9, 0.1], null), 0.4)).toBe(501);
  expect(paidKopecks(held, 0, result([0.3333, 0.6667], null), 0.4)).toBe(1_669);
});

test("a void pays the last price, and of another moment only the service knows what", () => {
  expect(paidKopecks(held, 0, result(null, -1), 0.4)).toBe(2_004);
  expect(paidKopecks(no, 0, result(null, -1), 0.4)).toBe(3_006);
  const earlier = result(null, -1, { void_at: "2026-02-01T08:00:00Z" });
  expect(paidKopecks(held, 0, earlier, 0.4)).toBeNull();
  expect(decidedText(earlier, null, 1)).toContain("void, pays by the prices of 1 February");
});

test("before the result nothing is paid, and nothing is said", () => {
  const open = result(null, null, { decided_at: null, disputable_until: null });
  expect(paidKopecks(held, 0, open, 0.4)).toBeNull();
  expect(decidedText(open, null, 0)).toBe("");
});

test("a result says what it pays, and until when it can be corrected", () => {
  expect(decidedText(result([0, 1], 1), null, 0)).toBe(
    "Decided: No, pays ₽0 unless corrected until 15:00",
  );
  expect(decidedText(result([0, 1, 0], 1), ["Reds", "Blues", "Greens"], 5_010)).toBe(
    "Decided: Blues, pays ₽50.10 unless corrected until 15:00",
  );
  expect(decidedText(result([0.5, 0.5], -1), null, 2_505)).toContain("Decided: split, pays ₽25.05");
  expect(decidedText(result(null, -1), null, 2_004)).toContain("Decided: Void, pays ₽20.04");
  const tomorrow = { disputable_until: new Date(2026, 2, 2, 9, 30).toISOString() };
  expect(decidedText(result([1, 0], 0, tomorrow), null, 100)).toContain("until 2 March at 09:30");
  const over = { disputable_until: new Date(2026, 2, 1, 11).toISOString() };
  expect(decidedText(result([1, 0], 0, over), null, 100)).toBe("Decided: Yes, pays ₽1");
});
