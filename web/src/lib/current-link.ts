/** Attached to a row of links that may be wider than the window: scrolls it so that the current one shows. */
export function showCurrent(current: unknown) {
  return (row: HTMLElement) => {
    const link = current ? row.querySelector<HTMLElement>("[aria-current]") : null;
    if (!link) return;
    const middle = link.offsetLeft - row.offsetLeft + link.offsetWidth / 2;
    row.scrollLeft = middle - row.clientWidth / 2;
  };
}
