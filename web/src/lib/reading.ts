// What screens show of the service, by its path: one answer, or a list in pages. Both stay with the history entry under
// their name, so the name holds all that the question depends on.
import { get, type Asked, type Data, type Params, type Path } from "../api/client.ts";
import { byId, loaded, paged, type Key, type Loaded, type Paged } from "./loading.svelte.ts";

type Item<P extends Path, List extends keyof Data<P>> = Data<P>[List] extends (infer T)[]
  ? T
  : never;

/** An answer as `loaded` keeps it. Call it in `$derived` where the name may change. */
export function read<P extends Path>(name: string, path: P, ...params: Asked<P>): Loaded<Data<P>> {
  return loaded(name, (signal) => get(path, ...([params[0], signal] as unknown as Asked<P>)));
}

/** What tells an item from the others; without it its id. */
type KeyOf<T> = T extends { id: number }
  ? { keyOf?: (item: T) => Key }
  : { keyOf: (item: T) => Key };
type Pages<P extends Path, List extends keyof Data<P>> = KeyOf<Item<P, List>> & {
  path: P;
  /** The field of an answer that has the items. */
  list: List;
  params?: Params<P>;
  /** What is to be known of items before they are shown. */
  before?: (items: Item<P, List>[]) => unknown;
};

/** A list in pages as `paged` keeps it, its first page asked for. */
export function readPages<P extends Path, List extends keyof Data<P>>(
  name: string,
  pages: Pages<P, List>,
): Paged<Item<P, List>> {
  return paged(name, ...pagesOf(pages));
}

/** A list in pages that is not kept. */
export function pagesOf<P extends Path, List extends keyof Data<P>>({
  path,
  list,
  params,
  keyOf,
  before,
}: Pages<P, List>): ConstructorParameters<typeof Paged<Item<P, List>>> {
  const ask = async (cursor: string | undefined) => {
    const asked = [{ ...params, query: { ...params?.query, cursor } }] as unknown as Asked<P>;
    const page = await get(path, ...asked);
    const items = page[list] as Item<P, List>[];
    await before?.(items);
    return { items, next: (page as { next_cursor: string | null }).next_cursor };
  };
  return [ask, (keyOf ?? byId) as (item: Item<P, List>) => Key];
}
