/** Whether a browser can show a file, and it is of a kind that the service takes: its bytes say so, not its name. */
export async function isPicture(file: File): Promise<boolean> {
  const head = new Uint8Array(await file.slice(0, 12).arrayBuffer());
  const text = String.fromCharCode(...head);
  const isKnown =
    text.startsWith("\x89PNG\r\n\x1a\n") ||
    text.startsWith("\xff\xd8\xff") ||
    (text.startsWith("RIFF") && text.endsWith("WEBP"));
  if (!isKnown) return false;
  return createImageBitmap(file).then(
    (bitmap) => {
      bitmap.close();
      return true;
    },
    () => false,
  );
}
