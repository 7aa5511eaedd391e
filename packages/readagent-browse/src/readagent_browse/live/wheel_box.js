// Returns the box that clips what is around an element, in which a page may scroll by its own means, or the body.
(element) => {
  const clips = (box) => box.clientHeight > element.clientHeight && getComputedStyle(box).overflowY !== "visible";
  let box = element.parentElement;
  while (box && box !== document.body && !(clips(box) && box.scrollHeight > box.clientHeight)) box = box.parentElement;
  return box || document.body;
}
