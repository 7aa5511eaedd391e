// Sets the value of a field without the keyboard, so that nothing of it can reach another field that takes the focus meanwhile.
// Returns whether the field takes a value.
(field, text) => {
  const kinds = { INPUT: HTMLInputElement, TEXTAREA: HTMLTextAreaElement };
  const kind = (field.ownerDocument.defaultView || window)[kinds[field.tagName]?.name];
  if (!kind || field.disabled || field.readOnly) return false;
  Object.getOwnPropertyDescriptor(kind.prototype, "value").set.call(field, text);  // frameworks replace the field's own
  field.dispatchEvent(new InputEvent("input", { bubbles: true, composed: true }));
  field.dispatchEvent(new Event("change", { bubbles: true }));
  return true;
}
