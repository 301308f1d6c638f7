import type { Attachment } from "svelte/attachments";
import { live } from "./live.svelte.ts";

/** Calls `then` once, when the element is first on the screen or so many pixels from it. */
export function onceVisible(then: () => void, near = 200): Attachment {
  return (element) => {
    const observer = new IntersectionObserver(
      (entries) => {
        if (!entries.some(({ isIntersecting }) => isIntersecting)) return;
        observer.disconnect();
        then();
      },
      { rootMargin: `${String(near)}px` },
    );
    observer.observe(element);
    return () => {
      observer.disconnect();
    };
  };
}

/** Watches an event while the element is on the screen: `<article {@attach watchVisible(id)}>`. */
export function watchVisible(eventId: number): Attachment {
  return (element) => {
    let stop: (() => void) | null = null;
    const observer = new IntersectionObserver(
      (entries) => {
        const isVisible = entries.at(-1)?.isIntersecting ?? false;
        if (isVisible) stop ??= live.watch([eventId]);
        else {
          stop?.();
          stop = null;
        }
      },
      { rootMargin: "200px" },
    );
    observer.observe(element);
    return () => {
      observer.disconnect();
      stop?.();
    };
  };
}
