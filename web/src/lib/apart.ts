/** Heights that grow, moved apart by at least the gap and kept above the bottom. */
export function apart(heights: number[], gap: number, bottom: number): number[] {
  const places: number[] = [];
  for (const height of heights) places.push(Math.max(height, (places.at(-1) ?? -Infinity) + gap));
  let most = bottom;
  for (let index = places.length - 1; index >= 0; index--) {
    places[index] = Math.min(places[index] ?? 0, most);
    most = (places[index] ?? 0) - gap;
  }
  return places;
}
