// Unpacks the browser that @sparticuz/chromium brings, the libraries it needs and fonts into the folder chromium/.
import { chmodSync, createReadStream, createWriteStream, mkdirSync, writeFileSync } from "node:fs";
import { pipeline } from "node:stream/promises";
import { createBrotliDecompress } from "node:zlib";
import tar from "tar-fs";

const PACKED = "node_modules/@sparticuz/chromium/bin";
const FOLDER = "chromium";

function unpack(name, target) {
  return pipeline(createReadStream(`${PACKED}/${name}.br`), createBrotliDecompress(), target);
}

mkdirSync(FOLDER, { recursive: true });
await unpack("chromium", createWriteStream(`${FOLDER}/chromium`));
chmodSync(`${FOLDER}/chromium`, 0o755);
for (const archive of ["al2023.tar", "fonts.tar", "swiftshader.tar"]) await unpack(archive, tar.extract(FOLDER));

// The archive's own names the folders of another machine. Where no font fits, this browser dies: so one always does.
const fonts = `${process.cwd()}/${FOLDER}/fonts`;
writeFileSync(
  `${FOLDER}/fonts.conf`,
  `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <dir>${fonts}</dir>
  <cachedir>${fonts}/cache</cachedir>
  <match target="pattern">
    <edit name="family" mode="append_last"><string>Open Sans</string></edit>
  </match>
</fontconfig>
`,
);
