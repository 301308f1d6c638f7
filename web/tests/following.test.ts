// Price alerts as they are shown, and the code of a card for other pages.
import { expect, test } from "vitest";
import { embedCode, embedPath } from "../src/screens/event/embed-code.ts";
import { bpsText, limitOf, waiting } from "../src/lib/alert-limits.ts";

const alert = { market_id: 1, above: 6_000, below: 4_000 };

test("limits that the chance has reached are shown no more", () => {
  expect(waiting(alert, 0.5)).toEqual({ above: 6_000, below: 4_000 });
  expect(waiting(alert, 0.6)).toEqual({ above: null, below: 4_000 });
  expect(waiting(alert, 0.4)).toEqual({ above: 6_000, below: null });
  expect(waiting(undefined, 0.4)).toEqual({ above: null, below: null });
});

test("a limit lies above or below the chance, or is there already", () => {
  expect(limitOf(5_000, 0.487)).toBe("above");
  expect(limitOf(4_800, 0.487)).toBe("below");
  expect(limitOf(4_870, 0.487)).toBeNull();
  expect(limitOf(2_900, 0.29)).toBeNull();
});

test("limits are written as short as they are", () => {
  expect([5_000, 5_050, 10].map(bpsText)).toEqual(["50%", "50.5%", "0.1%"]);
});

test("the code of a card names its page and escapes what others wrote", () => {
  expect(embedPath(7, "system", "en")).toBe("/embed/events/7?lang=en");
  const path = embedPath(7, "dark", "ru");
  const code = embedCode(`https://forecasts.example.org${path}`, `Is "<b>" & c likely?`, 1);
  expect(code).toContain(
    'src="https://forecasts.example.org/embed/events/7?theme=dark&amp;lang=ru"',
  );
  expect(code).toContain('title="Is &quot;&lt;b&gt;&quot; &amp; c likely?"');
});
