// Returns the place of an element among its siblings: -1 if it is right before or after another one, and null if that one has
// other siblings.
(moved, [goal, where]) => {
  if (moved.parentElement !== goal.parentElement) return null;
  const beside = where === "before" ? goal.previousElementSibling : goal.nextElementSibling;
  return beside === moved ? -1 : [...goal.parentElement.children].indexOf(moved);
}
