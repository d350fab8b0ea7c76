/**
 * Conflicts: places in which copies contradict each other, in the list and one at a time.
 *
 * `simdup.show.report.places_page` says what the table holds.  Readings are in rising order of their
 * documents, as are their letters; a row of the list begins with the most common one.
 */
const Conflicts = (() => {
  const { h, shown, growing, toldApart, columnsOf, langOf } = Dom;
  const { t } = State;

  // Documents and readings that are drawn at once; with many readings, few documents of each.
  const LISTED = 50;
  const FEW = 10;
  const READINGS = 30;
  // Readings that a row and a title name, and the text around the place.
  const NAMED = 3;
  const BESIDE = 8;
  // How wide a reading may be in a row and in a title, and the text before the place in a row, in Latin letters.
  const [IN_ROW, IN_TITLE, BEFORE] = [30, 60, 20];
  // Characters on either side of a reading with which it is searched.
  const AROUND = 60;

  let searched = null; // by conflict, what a search looks at

  /** Add what follows from the columns: where readings and places begin, sizes, the newest file. */
  function derive(table) {
    const count = table.readings.length;
    table.count = count;
    table.firstReading = Data.starts(table.readings);
    table.firstPlace = Data.starts(table.places);
    table.first = table.firstReading.map((reading) => table.firstPlace[reading]);
    table.size = new Uint32Array(count);
    table.newest = new Float64Array(count).fill(-Infinity);
    table.oldest = new Float64Array(count).fill(Infinity);
    const home = table.folder;
    table.folder = table.document.map((document_) => home[document_]);
    for (let i = 0; i < count; i += 1) {
      table.size[i] = table.first[i + 1] - table.first[i];
      for (let p = table.first[i]; p < table.first[i + 1]; p += 1) {
        const modified = seconds(table, p);
        if (modified > table.newest[i]) table.newest[i] = modified;
        if (modified < table.oldest[i]) table.oldest[i] = modified;
      }
    }
    return table;
  }

  /** Return when the file of a place was modified, in whole seconds; NaN if that is not known. */
  function seconds(table, place) {
    return Math.floor(table.modified[table.document[place]]);
  }

  /** Return the share of a conflict's documents that do not have its most common reading. */
  function minority(i) {
    const { firstReading, places, size } = Data.table;
    return 1 - places[firstReading[i + 1] - 1] / size[i];
  }

  /** Return the order of two conflicts for each way to sort. */
  function orders() {
    const { size, newest } = Data.table;
    const later = (a, b) => (newest[a] === newest[b] ? 0 : newest[b] - newest[a]);
    return {
      size: (a, b) => size[b] - size[a] || a - b,
      lopsided: (a, b) => minority(a) - minority(b) || size[b] - size[a] || a - b,
      newest: (a, b) => later(a, b) || a - b,
    };
  }

  /** Return the kind of a conflict: it has one bit. */
  const kindOf = (i) => State.named('filter', Data.head.kinds[Math.log2(Data.table.kinds[i])][0]);

  const plain = (text) => text.replace(/\s+/g, ' ').toLowerCase();

  /** Return what a search looks at: each reading with the text around it, blanks as one. */
  function lines() {
    return Data.conflicts.map(([before, after, ...values]) => {
      const [left, right] = [before.slice(-AROUND), after.slice(0, AROUND)];
      const read = values.map((value) => left + value + right);
      return [before, after, ...read].map(plain).join('\n');
    });
  }

  /** Return 1 for each conflict with these characters in a reading, the text around it, or a name. */
  function search(asked) {
    if (!searched) searched = lines();
    const { table } = Data;
    const needle = plain(asked);
    const named = Data.names.map((one) => plain(one).includes(needle));
    return Uint8Array.from(searched, (text, i) => {
      let found = text.includes(needle);
      for (let p = table.first[i]; !found && p < table.first[i + 1]; p += 1) found = named[table.document[p]];
      return found;
    });
  }

  /** Return a text whose line ends are blanks, or stay line ends. */
  function prose(text, blank = ' ') {
    return text.split(/(\s*\n\s*|\t)/).map((part, i) => (i % 2 ? blank : shown(part)));
  }

  function value(text) {
    if (!text) return h('span', { class: 'nothing' }, t('nothing'));
    return h('bdi', { class: 'value', lang: langOf(text, Data.folds) }, prose(text));
  }

  /** Return the first of some characters, as many as fit into the width of so many Latin letters. */
  function fitting(characters, most) {
    let [count, room] = [0, most];
    while (count < characters.length && room > 0) {
      room -= columnsOf(characters[count]);
      count += 1;
    }
    return characters.slice(0, count);
  }

  function beginning(text, most) {
    const characters = [...text.slice(0, 2 * most)];
    const first = fitting(characters, most);
    return first.join('') + (first.length < characters.length ? '…' : '');
  }

  function ending(text, most) {
    const characters = [...text.slice(-2 * most)].reverse();
    const last = fitting(characters, most);
    return (last.length < characters.length ? '…' : '') + last.reverse().join('').trimStart();
  }

  /** Return the most common readings with their numbers of documents, cut around what differs. */
  function said(i, most) {
    const { firstReading, places } = Data.table;
    const values = Data.conflicts[i].slice(2);
    const counted = toldApart(values, most, true)
      .map((text, r) => [text, places[firstReading[i] + r]]).sort((a, b) => b[1] - a[1]);
    const rest = values.length - NAMED;
    const readings = counted.slice(0, NAMED).map(([text, count], r) => [
      r ? [' ', h('span', { class: 'slash', 'aria-hidden': 'true' }, '/'), ' '] : null,
      h('span', { class: 'said' }, value(beginning(text, most)), ' ',
        h('span', { class: 'times' }, `×${State.number(count)}`)),
    ]);
    return [readings, rest > 0 ? [' ', h('span', { class: 'times' }, `+${State.number(rest)}`)] : null];
  }

  /** Return how many lines the readings of a row take. */
  function linesOf(i) {
    const values = toldApart(Data.conflicts[i].slice(2), IN_ROW, true).slice(0, NAMED);
    return Names.linesIn(values.map((text) => `${beginning(text, IN_ROW) || t('nothing')} ×00 /`));
  }

  /** Return what the row of a conflict shows. */
  function row(i) {
    const [before, after] = Data.conflicts[i];
    return [h('span', { class: 'head' }, said(i, IN_ROW)),
      h('span', { class: 'tail' }, h('span', { class: 'chip' }, kindOf(i)),
        h('bdi', { class: 'around', lang: langOf(before + after, Data.folds) },
          prose(ending(before, BEFORE)), h('span', { class: 'slot' }), prose(after.slice(0, AROUND))))];
  }

  /** Return the letter of a reading; of more than two, only the one rarest and the one most common have a colour. */
  function tag(i, r) {
    const { firstReading, places } = Data.table;
    const counts = places.subarray(firstReading[i], firstReading[i + 1]);
    const last = counts.length - 1;
    let look = '';
    if (r === 0 && (last === 1 || counts[0] < counts[1])) look = 'a';
    if (r === last && (last === 1 || counts[last] > counts[last - 1])) look = 'b';
    return h('span', { class: `tag ${look}` }, Matrix.letter(r));
  }

  /** Return the text around a conflict, with its readings as alternatives. */
  function around(i) {
    const [before, after, ...values] = Data.conflicts[i];
    const rest = values.length - BESIDE;
    const some = values.slice(0, BESIDE).map((text, r) => (
      h('span', { class: 'choice' }, tag(i, r), value(text))));
    const text = h('p', { class: 'passage', dir: 'auto', lang: langOf(before + after, Data.folds) },
      prose(before.trimStart(), '\n'),
      h('span', { class: 'choices', lang: document.documentElement.lang }, some,
        rest > 0 ? h('span', { class: 'note' }, t('beyond', rest)) : null),
      prose(after.trimEnd(), '\n'));
    return h('section', {}, h('h2', {}, t('around')), text);
  }

  /** Return a day as it is written in both languages; the time is in the tooltip. */
  function day(modified, words) {
    const date = new Date(modified * 1000);
    const two = (number) => String(number).padStart(2, '0');
    const written = [date.getFullYear(), two(date.getMonth() + 1), two(date.getDate())].join('-');
    const title = `${written} ${two(date.getHours())}:${two(date.getMinutes())}`;
    return h('span', { class: 'num', title }, words ? t(words, written) : written);
  }

  /** Return the mark of the newest file, if not all are equally new. */
  function newest(i, modified) {
    const { table } = Data;
    if (modified !== table.newest[i] || modified === table.oldest[i]) return null;
    return h('span', { class: 'chip cool' }, t('newest'));
  }

  function place(i, p) {
    const { table } = Data;
    const [start, stop] = [table.start[p], table.end[p]];
    const whole = Data.names[table.document[p]];
    const modified = seconds(table, p);
    return h('li', { class: 'member place' }, h('span'),
      Names.lines(table.document[p]),
      h('span', { class: 'num' }, t('line', table.line[p])),
      h('span', { class: 'num offsets' }, start === stop ? t('placeAt', start) : t('passageAt', start, stop)),
      h('span', { class: 'when' }, Number.isNaN(modified) ? null : day(modified), newest(i, modified)),
      // A record has no time.
      Cluster.actions(whole, !Number.isNaN(modified), `${whole}:${table.line[p]}`));
  }

  /** Return a reading and who has it. */
  function reading(i, r) {
    const { table } = Data;
    const one = table.firstReading[i] + r;
    const [first, count] = [table.firstPlace[one], table.places[one]];
    let latest = -Infinity;
    for (let p = first; p < first + count; p += 1) latest = Math.max(latest, seconds(table, p) || -Infinity);
    const most = table.readings[i] > 4 ? FEW : LISTED;
    return h('section', { class: 'reading' },
      h('h3', {}, tag(i, r), value(Data.conflicts[i][2 + r])),
      h('p', { class: 'facts' }, h('span', {}, t('documentsOf', count)),
        latest > -Infinity ? [Cluster.dot(), day(latest, 'modified'), newest(i, latest)] : null),
      growing(h('ul', { class: 'members' }), count, most, (n) => place(i, first + n),
        (rest) => [t('moreMembers', rest), t('beyond', rest)]));
  }

  function title(i) {
    const { table } = Data;
    return Cluster.heading(i, { title: said(i, IN_TITLE), facts: [h('span', { class: 'chip' }, kindOf(i)),
      t('documentsOf', table.size[i]), t('readingsOf', table.readings[i])] });
  }

  /** Draw a conflict. */
  function draw(main, i) {
    const readings = h('div', { class: 'readings' });
    main.replaceChildren(h('article', { class: 'cluster' }, title(i), around(i),
      h('section', {}, h('h2', {}, t('readings')),
        growing(readings, Data.table.readings[i], READINGS, (r) => reading(i, r),
          (rest) => [t('moreReadings', rest), t('beyond', rest)]))));
    main.scrollTop = 0;
  }

  return { derive, orders, search, linesOf, row, draw };
})();
