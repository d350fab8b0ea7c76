/**
 * Names of documents: whole, with what tells one from others first.
 *
 * That is the file, and the folder where several folders have a file of this name.
 */
const Names = (() => {
  const { h, name, plain, split } = Dom;

  /** Return what a document is called first, what follows, and whether that is its file. */
  function of(document_) {
    const [folder, file] = split(Data.names[document_]);
    const leads = Boolean(folder) && Data.leads(document_);
    return leads ? { lead: folder, rest: file, leads } : { lead: file, rest: folder, leads };
  }

  /** Return a name as two lines. */
  function lines(document_) {
    const { lead, rest } = of(document_);
    return h('span', { class: 'title' }, name(lead, { class: 'file' }), rest ? name(rest, { class: 'folder' }) : null);
  }

  /** Return names as the choices of a list: without what all begin with, what tells them apart first. */
  function choices(documents) {
    const parts = documents.map(of);
    const folders = Dom.toldApart(parts.map(({ lead, rest, leads }) => (leads ? lead : rest)), 0);
    return parts.map(({ lead, rest, leads }, i) => (
      plain(leads ? `${folders[i]}${rest}` : `${lead}${folders[i] ? ` · ${folders[i]}` : ''}`)));
  }

  // Pixels of a line in the list, some less than there are, and of a Chinese character.
  const [ROOM, WIDE] = [308, 15];
  const widths = new Map();
  let ruler = null;

  /** Return the width of a text in pixels: a browser takes long to measure more than single characters. */
  function widthOf(text) {
    let sum = 0;
    for (let i = 0; i < text.length; i += 1) {
      if (text[i] <= '\u2e80' && !widths.has(text[i])) widths.set(text[i], measured(text[i]));
      sum += text[i] > '\u2e80' ? WIDE : widths.get(text[i]);
    }
    return sum;
  }

  function measured(character) {
    if (!ruler) {
      ruler = document.createElement('canvas').getContext('2d');
      ruler.font = getComputedStyle(document.body).font;
    }
    return ruler.measureText(character).width;
  }

  /** Return how many lines some pieces take in the list: one moves on as a whole, or is cut if it is longer. */
  function linesIn(pieces) {
    let [lines, used] = [1, 0];
    for (const piece of pieces) {
      const wide = widthOf(piece);
      if (used && used + wide > ROOM) [lines, used] = [lines + 1, 0];
      lines += Math.floor(wide / ROOM);
      used += wide % ROOM;
    }
    return lines;
  }

  /** Return how many lines a name takes in the list; it breaks where browsers break words. */
  function height(text) {
    if (widthOf(text) <= ROOM) return 1;
    return linesIn(text.match(/[\u2e80-\uffff]|[^\s\u2e80-\uffff-]+[\s-]*|[\s-]+/g));
  }

  return { of, lines, choices, linesIn, height };
})();
