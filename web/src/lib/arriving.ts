// A column whose parts are loaded one by one: <aside {@attach arriving}>.
import type { Attachment } from "svelte/attachments";

const PENDING = ":scope > .skeleton, :scope > .card > .skeleton";

/** Until all parts have come once, what stands below one that is awaited is not shown: the part would move it. */
export const arriving: Attachment = (column) => {
  column.classList.add("arriving"); // base.css
  const observer = new MutationObserver(look);
  observer.observe(column, { childList: true, subtree: true });
  look();

  function look(): void {
    if (column.querySelector(PENDING)) return;
    observer.disconnect();
    column.classList.remove("arriving");
  }
  return () => {
    observer.disconnect();
  };
};
