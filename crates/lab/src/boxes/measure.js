// Returns the size of the page, and where its marked elements and their runs of text are drawn, and how they look.
const [mark] = arguments;
const sides = rect => rect.width || rect.height ? [rect.left + scrollX, rect.top + scrollY, rect.width, rect.height] : null;
const range = document.createRange();
const runs = element => [...element.childNodes].filter(child => child.nodeType === Node.TEXT_NODE && /\S/.test(child.data))
  .map(child => { range.selectNodeContents(child); return sides(range.getBoundingClientRect()); });
const parts = color => (color.match(/[\d.]+/g) ?? []).map(Number);
const look = element => {
  const { fontSize, fontWeight, fontStyle, color, backgroundColor } = getComputedStyle(element);
  const [red, green, blue, alpha = 1] = parts(backgroundColor);
  const opaque = part => Math.round(part);
  return [parseFloat(fontSize), Math.round(+fontWeight), fontStyle !== "normal", parts(color).slice(0, 3).map(opaque),
    alpha > 0.5 ? [red, green, blue].map(opaque) : null];
};
const measured = (element, node) => ({ node, rect: sides(element.getBoundingClientRect()), runs: runs(element), look: look(element) });
const marked = [...document.querySelectorAll(`[${mark}]`)].map(element => measured(element, +element.getAttribute(mark)));
const root = document.documentElement;
return { width: root.scrollWidth, height: root.scrollHeight, nodes: [measured(document.body ?? root, 0), ...marked] };
