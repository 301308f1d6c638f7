// The first page and the event's carry no messages but their own: what they are built of names no area that comes with
// other screens.
import { expect, test } from "vitest";
import { partOf, readMessages } from "../plugins/messages.ts";
import { reached } from "../plugins/reached.ts";

const AREAS = Object.keys(readMessages("en"));

/** Which areas the modules behind these entries name, where they are not of these parts. */
function strangers(entries: string[], parts: string[]): string[][] {
  const files = reached(...entries);
  expect(files.size).toBeGreaterThan(20);
  const named = [...files].flatMap(([path, text]) =>
    path.endsWith(".d.ts")
      ? []
      : AREAS.filter((area) => new RegExp(`["'\`]${area}\\.[a-z_]+["'\`$]`).test(text)).map(
          (area) => [path, area],
        ),
  );
  expect(named.length).toBeGreaterThan(20);
  return named.filter(([, area = ""]) => !parts.includes(partOf(area)));
}

test("the first page and the layout name messages of the first part alone", () => {
  const entries = [
    "main.ts",
    "screens/home/Home.svelte",
    "screens/NotFound.svelte",
    "screens/support/Support.svelte",
  ];
  expect(strangers(entries, ["first"])).toEqual([]);
});

test("the event's page and its tabs name messages of the first part and their own alone", () => {
  const entries = [
    "screens/event/Event.svelte",
    "screens/event/Rules.svelte",
    "screens/event/HoldersList.svelte",
  ];
  expect(strangers(entries, ["first", "event"])).toEqual([]);
});

test("orders at a price are said by the first part's messages and their own, wherever they are shown", () => {
  const entries = [
    "orders/LimitSlip.svelte",
    "orders/OwnOrders.svelte",
    "orders/Book.svelte",
    "screens/portfolio/Orders.svelte",
  ];
  expect(strangers(entries, ["first", "orders"])).toEqual([]);
});
