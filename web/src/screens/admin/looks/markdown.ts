// A site's own page, read as its service draws it: CommonMark with tables, no HTML and no pictures.
import { parser as commonMark, Table } from "@lezer/markdown";

type SyntaxNode = ReturnType<typeof commonMark.parse>["topNode"];

/** Text, or an element with its parts. */
export type Part = string | { tag: string; parts: Part[] };

const parser = commonMark.configure([Table, { remove: ["HTMLBlock", "HTMLTag", "Image"] }]);
const TAGS: Record<string, string> = {
  ...{
    Paragraph: "p",
    Blockquote: "blockquote",
    HorizontalRule: "hr",
    CodeBlock: "pre",
    FencedCode: "pre",
  },
  ...{ BulletList: "ul", OrderedList: "ol", ListItem: "li" },
  ...{ Table: "table", TableHeader: "tr", TableRow: "tr", TableCell: "td" },
  ...{ Emphasis: "em", StrongEmphasis: "strong", InlineCode: "code", Link: "u", Autolink: "u" },
};
const HEADING = /^(?:ATX|Setext)Heading(\d)$/;
/** What holds parts alone: all between them is marks and space. */
const HOLDS_PARTS = new Set([
  ...["Document", "Blockquote", "BulletList", "OrderedList", "ListItem", "HorizontalRule"],
  ...["Table", "TableRow", "TableHeader", "FencedCode"],
]);
/** What is not shown: marks, where a link leads, what a code is in. */
const UNSEEN = /Mark$|^(?:LinkTitle|LinkReference|LinkLabel|CodeInfo|TableDelimiter)$/;

/** Of a page, how much of its beginning a preview shows: it is drawn at each letter that is typed. */
export const SHOWN_MAX = 16_384;
/** Marks in a block without an empty line, each of which is sought its other end; and how deep parts nest. */
const MARKS_MAX = 1_500;
const DEPTH_MAX = 20;
const MARKS = /[[\]*_`!<]/g;

export function partsOf(source: string): Part[] {
  const text = source.slice(0, SHOWN_MAX).replaceAll("\r\n", "\n");
  const isDense = text
    .split(/\n\s*\n/)
    .some((block) => (block.match(MARKS)?.length ?? 0) > MARKS_MAX);
  return isDense ? [{ tag: "pre", parts: [text] }] : inside(text, parser.parse(text).topNode, 0);
}

function inside(text: string, node: SyntaxNode, depth: number): Part[] {
  if (depth > DEPTH_MAX) return [text.slice(node.from, node.to)];
  const parts: Part[] = [];
  let at = node.from;
  const addText = (to: number) => {
    if (to > at && !HOLDS_PARTS.has(node.name)) parts.push(text.slice(at, to));
  };
  for (let child = node.firstChild; child; child = child.nextSibling) {
    addText(child.from);
    parts.push(...shown(text, child, node, depth));
    at = child.to;
  }
  addText(node.to);
  return parts;
}

function shown(text: string, node: SyntaxNode, parent: SyntaxNode, depth: number): Part[] {
  const written = text.slice(node.from, node.to);
  if (UNSEEN.test(node.name) || (node.name === "URL" && parent.name === "Link")) return [];
  if (node.name === "Escape") return [written.slice(1)];
  const level = HEADING.exec(node.name)?.[1];
  const tag = level === undefined ? TAGS[node.name] : `h${level}`;
  return tag === undefined ? [written] : [{ tag, parts: inside(text, node, depth + 1) }];
}
