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

export function partsOf(source: string): Part[] {
  const text = source.replaceAll("\r\n", "\n");
  return inside(text, parser.parse(text).topNode);
}

function inside(text: string, node: SyntaxNode): Part[] {
  const parts: Part[] = [];
  let at = node.from;
  const addText = (to: number) => {
    if (to > at && !HOLDS_PARTS.has(node.name)) parts.push(text.slice(at, to));
  };
  for (let child = node.firstChild; child; child = child.nextSibling) {
    addText(child.from);
    parts.push(...shown(text, child, node));
    at = child.to;
  }
  addText(node.to);
  return parts;
}

function shown(text: string, node: SyntaxNode, parent: SyntaxNode): Part[] {
  const written = text.slice(node.from, node.to);
  if (UNSEEN.test(node.name) || (node.name === "URL" && parent.name === "Link")) return [];
  if (node.name === "Escape") return [written.slice(1)];
  const level = HEADING.exec(node.name)?.[1];
  const tag = level === undefined ? TAGS[node.name] : `h${level}`;
  return tag === undefined ? [written] : [{ tag, parts: inside(text, node) }];
}
