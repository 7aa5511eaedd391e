// Returns how an element and its siblings stand: in a "row", a "column" or a "grid".
(element) => {
  const boxOf = (one) => one.getBoundingClientRect();
  const own = boxOf(element);
  const siblings = element.parentElement ? [...element.parentElement.children] : [];
  const others = siblings.filter((one) => one !== element).map(boxOf);
  const overlap = (from, to, otherFrom, otherTo) => Math.min(to, otherTo) - Math.max(from, otherFrom) > 3;
  const row = others.some((one) => overlap(own.top, own.bottom, one.top, one.bottom));
  const column = others.some((one) => overlap(own.left, own.right, one.left, one.right));
  return row ? (column ? "grid" : "row") : "column";
}
