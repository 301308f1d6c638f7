// The first page carries no messages but its own: what it is built of names no area that comes with other screens.
import { expect, test } from "vitest";
import { partOf, readMessages } from "../plugins/messages.ts";
import { reached } from "../plugins/reached.ts";

const AREAS = Object.keys(readMessages("en"));

test("the first page and the layout name messages of the first part alone", () => {
  const files = reached(
    "main.ts",
    "screens/home/Home.svelte",
    "screens/NotFound.svelte",
    "screens/support/Support.svelte",
  );
  expect(files.size).toBeGreaterThan(40);
  const named = [...files].flatMap(([path, text]) =>
    path.endsWith(".d.ts")
      ? []
      : AREAS.filter((area) => new RegExp(`["'\`]${area}\\.[a-z_]+["'\`$]`).test(text)).map(
          (area) => [path, area],
        ),
  );
  expect(named.length).toBeGreaterThan(20);
  expect(named.filter(([, area = ""]) => partOf(area) !== "first")).toEqual([]);
});
