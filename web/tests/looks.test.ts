import { expect, test } from "vitest";
import { worstContrast } from "../src/screens/admin/looks/colours.ts";
import { partsOf, SHOWN_MAX, type Part } from "../src/screens/admin/looks/markdown.ts";

const el = (tag: string, ...parts: Part[]): Part => ({ tag, parts });

test("a page's preview has the parts of its Markdown", () => {
  const source = [
    "# Our *club*",
    "Ask **Ann**",
    "or [Bob](/users/2), `now`.",
    "",
    "1. one",
    "2. two",
    "   - in it",
    "",
    "> said",
    "",
    "---",
    "| Who | What |",
    "|---|:-:|",
    "| Ann | runs it |",
    "",
    "```",
    "# none",
    "```",
  ];
  const inner = el("ul", el("li", el("p", "in it")));
  expect(partsOf(source.join("\r\n"))).toEqual([
    el("h1", " Our ", el("em", "club")),
    el("p", "Ask ", el("strong", "Ann"), "\nor ", el("u", "Bob"), ", ", el("code", "now"), "."),
    el("ol", el("li", el("p", "one")), el("li", el("p", "two"), inner)),
    el("blockquote", el("p", "said")),
    el("hr"),
    el(
      "table",
      el("tr", el("td", "Who"), el("td", "What")),
      el("tr", el("td", "Ann"), el("td", "runs it")),
    ),
    el("pre", "# none"),
  ]);
});

test("HTML, pictures and what is escaped are shown as they are written", () => {
  const [page] = partsOf("<b>x</b> \\*a\\* snake_case_name 2*3 ![y](/z.png)");
  expect(page).toEqual(el("p", "<b>x</b> ", "*", "a", "*", " snake_case_name 2*3 !", el("u", "y")));
});

test.each([
  "#a",
  "*** a",
  "> > ".repeat(50),
  "- ".repeat(200),
  "[".repeat(5_000),
  "*a".repeat(5_000),
])("what is half typed is shown: %s", (typed) => {
  expect(partsOf(`**\n\n${typed}`).length).toBeGreaterThan(0);
});

test.each([
  ["brackets", "[".repeat(2_000)],
  ["links", "[a](".repeat(1_000)],
  ["emphasis", "*a_".repeat(1_000)],
])("many marks in one paragraph are shown as they are written: %s", (_, typed) => {
  expect(partsOf(`# Rules\n\n${typed}`)).toEqual([el("pre", `# Rules\n\n${typed}`)]);
});

test("of a long page the beginning is shown, and nothing nests without end", () => {
  const [first] = partsOf("a ".repeat(100_000));
  expect(typeof first === "object" && String(first.parts[0]).length).toBe(SHOWN_MAX);
  const deep = JSON.stringify(partsOf("> ".repeat(5_000) + "a"));
  expect(deep.split('"blockquote"').length).toBeLessThan(25);
});

test("the contrast of a colour is the least to what it is drawn on", () => {
  expect(worstContrast("#7a1f5c", "light")).toBeGreaterThan(4.5);
  expect(worstContrast("#ffff00", "light")).toBeLessThan(1.2);
});
