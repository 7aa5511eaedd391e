// Returns the type of a field, "slider" for something that is no field and is set to a number by keys, or "editor" for what
// a code editor takes keys in: a textarea that nobody sees, while the text is drawn elsewhere, or an element that is no field. The
// text has to be selected by keys there.
(field) => {
  const isField = /^(INPUT|TEXTAREA|SELECT)$/.test(field.tagName) || field.isContentEditable;
  if (!isField && /^(slider|spinbutton)$/.test(field.getAttribute("role"))) return "slider";
  if (!isField && /^(textbox|searchbox)$/.test(field.getAttribute("role"))) return "editor";
  if (field.tagName !== "TEXTAREA") return field.type || "";
  const box = field.getBoundingClientRect();
  const around = field.parentElement ? field.parentElement.getBoundingClientRect() : box;
  const overflow = field.parentElement ? getComputedStyle(field.parentElement).overflowY : "visible";
  const isClipped = !(around.width && around.height) && overflow !== "visible";
  const isTransparent = Number(getComputedStyle(field).opacity) <= 0.05;
  return isClipped || isTransparent || box.width <= 3 || box.height <= 3 ? "editor" : "textarea";
}
