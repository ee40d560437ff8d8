// Returns the size of the page, and where its marked elements and their runs of text are drawn.
const [mark] = arguments;
const sides = rect => rect.width || rect.height ? [rect.left + scrollX, rect.top + scrollY, rect.width, rect.height] : null;
const range = document.createRange();
const runs = element => [...element.childNodes].filter(child => child.nodeType === Node.TEXT_NODE && /\S/.test(child.data))
  .map(child => { range.selectNodeContents(child); return sides(range.getBoundingClientRect()); });
const measured = (element, node) => ({ node, rect: sides(element.getBoundingClientRect()), runs: runs(element) });
const marked = [...document.querySelectorAll(`[${mark}]`)].map(element => measured(element, +element.getAttribute(mark)));
const root = document.documentElement;
return { width: root.scrollWidth, height: root.scrollHeight, nodes: [measured(document.body ?? root, 0), ...marked] };
