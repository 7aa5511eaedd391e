// Returns whether the middle of a field is covered by another part of the same control, such as the text that a list to
// choose from draws over its field: a click there is a click on the control. The two are in one small box, and what covers
// the field is in no other control. MARK is the attribute with the ids.
(field, MARK) => {
  if (!field.matches("input, textarea, [role=combobox], [role=searchbox], [role=textbox], [role=spinbutton]")) return false;
  field.scrollIntoViewIfNeeded();
  const { left, top, width, height } = field.getBoundingClientRect();
  const cover = field.getRootNode().elementFromPoint(left + width / 2, top + height / 2);
  if (!cover || cover === field || field.contains(cover)) return false;
  let box = cover;
  while (box && !box.contains(field)) box = box.parentElement;
  if (!box || /^(HTML|BODY|MAIN|FORM|LABEL)$/.test(box.tagName) || box.getBoundingClientRect().height > 120) return false;
  const others = [...box.querySelectorAll(`a[href], button, input, select, textarea, [${MARK}]`)]
    .filter((other) => other !== field && !other.contains(field));
  return !others.some((other) => other.contains(cover) || /^(INPUT|SELECT|TEXTAREA)$/.test(other.tagName) && other.hasAttribute(MARK));
}
