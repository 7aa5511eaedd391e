// Scrolls the box around an element by one screen, or without an element the page and its boxes to the end ("down") or
// the beginning ("up"). Returns whether anything moved, or null if nothing but the page scrolls around the element, which is
// done only if `page` is true.
(element, [direction, page]) => {
  const canScroll = (box) => box === document.scrollingElement ? box.scrollHeight > box.clientHeight :
    box.scrollHeight > box.clientHeight + 4 && /auto|scroll/.test(getComputedStyle(box).overflowY);
  const move = (box, distance) => {
    const before = box.scrollTop;
    box.scrollTop += distance;
    return box.scrollTop !== before;
  };
  const sign = direction === "up" ? -1 : 1;
  if (element) {
    let box = element;
    while (box && !canScroll(box)) box = box.parentElement || (box.getRootNode().host ?? null);
    return box && (page || box !== document.scrollingElement) ? move(box, sign * 0.9 * box.clientHeight) : null;
  }
  const boxes = [...document.querySelectorAll("body *")].filter((box) => box.clientHeight > 100 && canScroll(box));
  return [document.scrollingElement, ...boxes].map((box) => move(box, sign * box.scrollHeight)).some(Boolean);
}
