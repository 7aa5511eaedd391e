// How far somebody has read each document: what lies after that place is hidden, and no question tells it.

import { kept } from "./dom.js";
import { get, part } from "./api.js";

/** Keep the offset up to which a document may be known, or null if that is all of it. */
export function keepPlace(id, offset) {
  kept.set(`upto.${id}`, "");
  kept.set(`place.${id}`, offset === null ? "" : String(offset));
}

/** Return where so many pages end. A text that has no more pages than that had others then: only the first one is safe. */
export function endOfPages(count, pages) {
  if (count < pages.length) return pages[count - 1].end;
  return pages.length > 1 ? pages[0].end : 1;
}

/** Return the offset up to which a document may be known, or null if that is all of it. Pages are in order. */
export function placeIn(doc, pages) {
  const place = Number(kept.get(`place.${doc.id}`));
  if (place > 0) return place;
  const count = Number(kept.get(`upto.${doc.id}`)); // an earlier version of this page counted pages
  if (!(count > 0)) return null;
  if (pages.length !== doc.pages || pages.some((page) => page.gist === null)) return 1; // they are being found
  keepPlace(doc.id, endOfPages(count, pages));
  return endOfPages(count, pages);
}

const gone = new Set(); // documents that are not in this library

/** Let the places in documents that have grown, and so have another id, be places in the longer ones. */
export async function followGrown() {
  const names = [...kept.names("place."), ...kept.names("upto.")].filter((id) => !gone.has(id));
  if (!names.length) return;
  const there = new Set((await get("documents")).map((one) => one.id));
  await Promise.all(
    names
      .filter((id) => !there.has(id))
      .map(async (id) => {
        const doc = await get(`documents/${part(id)}`).catch((error) => {
          if (error.status === 404) gone.add(id);
          return null;
        });
        if (!doc || doc.id === id) return;
        for (const kind of ["place", "upto"]) {
          const place = kept.get(`${kind}.${id}`);
          if (place && !kept.get(`place.${doc.id}`)) kept.set(`${kind}.${doc.id}`, place);
          kept.set(`${kind}.${id}`, "");
        }
      }),
  );
}

/** Return, by document, the offsets up to which these documents may be known, where that is not to the end. */
export async function placesIn(ids) {
  await followGrown();
  const found = await Promise.all(
    ids.map(async (id) => {
      if (!kept.get(`upto.${id}`)) return [id, placeIn({ id }, [])];
      const path = `documents/${part(id)}`;
      const [doc, pages] = await Promise.all([get(path), get(`${path}/pages`)]);
      return [id, placeIn(doc, pages.sort((a, b) => a.start - b.start))];
    }),
  );
  return Object.fromEntries(found.filter(([, place]) => place !== null));
}

/** Whether an answer that knew these documents up to `upTo`, by document, tells more than `places` allow. */
export const tellsMore = (upTo, places, ids) => ids.some((id) => id in places && !(upTo[id] <= places[id]));
