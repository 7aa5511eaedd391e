// What was typed and not sent: kept in this tab through reloads, other views and the form for the token.

/** Keep what is typed in a field under this name, and put it back now; returns what forgets it. */
export function draft(field, name) {
  const key = `readagent.draft.${name}`;
  const forget = () => sessionStorage.removeItem(key);
  try {
    field.value = sessionStorage.getItem(key) ?? field.value;
    field.addEventListener("input", () => (field.value ? sessionStorage.setItem(key, field.value) : forget()));
    return forget;
  } catch {
    return () => {}; // storage is switched off
  }
}
