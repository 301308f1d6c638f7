// Puts a .br and a .gz beside every built file that they make smaller: node scripts/compress.ts <folder>
import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";

const COMPRESSED_ALREADY = /\.(br|gz|png|webp|woff2)$/;

const folder = process.argv[2];
if (folder === undefined) throw new Error("Name the folder to compress.");

for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
  if (!entry.isFile() || COMPRESSED_ALREADY.test(entry.name)) continue;
  const path = join(entry.parentPath, entry.name);
  const content = readFileSync(path);
  const options = { params: { [constants.BROTLI_PARAM_SIZE_HINT]: content.length } };
  keepSmaller(`${path}.br`, brotliCompressSync(content, options), content);
  keepSmaller(`${path}.gz`, gzipSync(content, { level: 9 }), content);
}

function keepSmaller(path: string, compressed: Buffer, content: Buffer): void {
  if (compressed.length < content.length) writeFileSync(path, compressed);
}
