const words = document.getElementById("words");
const wrong = document.getElementById("wrong");
const split = document.getElementById("split");
const blocks = [...document.querySelectorAll(".question")];
const texts = blocks.map((block) => block.textContent.toLowerCase());

function filter() {
  const wanted = words.value.toLowerCase().trim();
  let shown = 0;
  blocks.forEach((block, i) => {
    const hit = (!wanted || texts[i].includes(wanted)) && (!wrong.checked || block.dataset.wrong === "1") &&
      (!split.checked || block.dataset.split === "1");
    block.hidden = !hit;
    shown += hit;
  });
  document.getElementById("count").textContent = `${shown} of ${blocks.length} questions`;
}

if (words) {
  for (const input of [words, wrong, split]) input.addEventListener("input", filter);
  filter();
}

const columns = document.querySelector(".columns");
if (columns) {
  const choose = () => {
    const wanted = new Set([...columns.querySelectorAll("input:checked")].map((box) => box.dataset.method));
    for (const one of document.querySelectorAll(".attempt")) one.hidden = !wanted.has(one.dataset.method);
  };
  columns.addEventListener("input", choose);
  choose();
}
