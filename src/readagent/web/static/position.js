// How far somebody has read each document: what lies after that place is hidden, and no question tells it.

import { kept } from "./dom.js";
import { get, part } from "./api.js";

/** Keep the offset up to which a document may be known, or null if that is all of it. */
export const keepPlace = (id, offset) => kept.set(`place.${id}`, offset === null ? "" : String(offset));

/** Return where so many pages end. A text that has no more pages than that had others then: only the first one is safe. */
export function endOfPages(count, pages) {
  if (count < pages.length) return pages[count - 1].end;
  return pages.length > 1 ? pages[0].end : 1;
}

/** Return the offset up to which a document may be known, or null if that is all of it. */
export const placeIn = (id) => Number(kept.get(`place.${id}`)) || null;

const MOST = 200; // places that are looked at
const gone = new Set(); // documents that are not in this library

/** Let the places in documents that have grown, and so have another id, be places in the longer ones. */
export async function followGrown() {
  const names = kept.names("place.").filter((id) => !gone.has(id)).slice(0, MOST);
  if (!names.length) return;
  const known = await get(`library?ids=${names.map(part).join(",")}&limit=${MOST}`);
  const there = new Set(known.documents.map((one) => one.id));
  await Promise.all(
    names
      .filter((id) => !there.has(id))
      .map(async (id) => {
        const doc = await get(`documents/${part(id)}`).catch((error) => {
          if (error.status === 404) gone.add(id);
          return null;
        });
        if (!doc || doc.id === id) return;
        if (!placeIn(doc.id)) keepPlace(doc.id, placeIn(id));
        keepPlace(id, null);
      }),
  );
}

/** Return, by document, the offsets up to which these documents may be known, where that is not to the end. */
export async function placesIn(ids) {
  await followGrown();
  return Object.fromEntries(ids.map((id) => [id, placeIn(id)]).filter(([, place]) => place !== null));
}

/** Whether an answer that knew these documents up to `upTo`, by document, tells more than `places` allow. */
export const tellsMore = (upTo, places, ids) => ids.some((id) => id in places && !(upTo[id] <= places[id]));
