// A picture as the service takes a logo or an icon: PNG or WebP, 16 to 1,024 pixels a side, 512 KiB at most.
const SIDE_MAX = 1_024;
const SIDE_MIN = 16;
const BYTES_MAX = 524_288;
/** Of a drawing without a size of its own, such as most SVG. */
const DRAWN = 512;

/** What to send of a file: itself where it fits, else drawn again within the bounds; null where it is no picture. */
export async function fitted(file: File, isSquare: boolean): Promise<Blob | null> {
  const picture = await decoded(file);
  if (!picture) return null;
  const width = picture.naturalWidth || DRAWN;
  const height = picture.naturalHeight || DRAWN;
  const isTaken = file.type === "image/png" || file.type === "image/webp";
  const sides = [width, height];
  const fits = sides.every((side) => side >= SIDE_MIN && side <= SIDE_MAX);
  if (isTaken && fits && file.size <= BYTES_MAX && (!isSquare || width === height)) return file;
  for (let most = SIDE_MAX; most >= 64; most /= 2) {
    const drawn = await draw(picture, width, height, { most, isSquare });
    if (drawn && drawn.size <= BYTES_MAX) return drawn;
  }
  return null;
}

function decoded(file: File): Promise<HTMLImageElement | null> {
  return new Promise((done) => {
    const reader = new FileReader();
    const picture = new Image();
    reader.onerror = picture.onerror = () => {
      done(null);
    };
    picture.onload = () => {
      done(picture);
    };
    reader.onload = () => {
      // Not a blob's address, which the page's policy does not let pictures have.
      picture.src = String(reader.result);
    };
    reader.readAsDataURL(file);
  });
}

function draw(
  picture: HTMLImageElement,
  width: number,
  height: number,
  { most, isSquare }: { most: number; isSquare: boolean },
): Promise<Blob | null> {
  // A drawing can be made larger, pixels cannot.
  const least = Math.min(width, height) < SIDE_MIN ? SIDE_MIN / Math.min(width, height) : 1;
  const scale = Math.min(most / Math.max(width, height), least);
  const [wide, high] = [width, height].map((side) =>
    Math.min(most, Math.max(SIDE_MIN, Math.round(side * scale))),
  ) as [number, number];
  const canvas = document.createElement("canvas");
  canvas.width = isSquare ? Math.max(wide, high) : wide;
  canvas.height = isSquare ? Math.max(wide, high) : high;
  const pen = canvas.getContext("2d");
  pen?.drawImage(picture, (canvas.width - wide) / 2, (canvas.height - high) / 2, wide, high);
  return new Promise((done) => {
    canvas.toBlob(done, "image/png");
  });
}
